import { Stack, Title, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Fragment, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { FieldName } from '../../api/facts.ts';
import classes from './form.module.css';
import { FormSection } from './form-section.tsx';
import { FormTabs } from './form-tabs.tsx';
import { LevelContext, TabContext, useFormContext } from './use-message-form.ts';

interface Section {
  value: string;
  label: string;
  content: ReactNode;
}

interface Props {
  sections: Section[];
  /** How a narrow window shows the sections. In groups, the first one has no heading. */
  narrow?: 'tabs' | 'groups';
}

/** The sections of a long form. A wide window shows them one below the other, with a list of them at the left. */
export function FormSections({ sections, narrow = 'tabs' }: Props) {
  const isWide = useMediaQuery('(min-width: 75em)', undefined, { getInitialValueInEffect: false });
  if (isWide) return <Listed sections={sections} />;
  if (narrow === 'tabs') return <FormTabs tabs={sections} />;
  return sections.map(({ value, label, content }, index) =>
    index === 0 ? (
      <Fragment key={value}>{content}</Fragment>
    ) : (
      <FormSection key={value} title={label}>
        {content}
      </FormSection>
    ),
  );
}

function Listed({ sections }: { sections: Section[] }) {
  const { form } = useFormContext();
  const panels = useRef<HTMLDivElement>(null);
  const id = useId();
  const { current, show } = useCurrentSection(panels, sections[0]?.value);
  const wrong = new Set(Object.keys(form.errors).map((path) => form.fields.get(path as FieldName)?.tab));
  return (
    <div className={classes.sections}>
      <nav className={classes.rail} aria-label="Sections of the form">
        <ul>
          {sections.map(({ value, label }) => (
            <li key={value}>
              <button type="button" aria-current={value === current ? 'true' : undefined} onClick={() => show(value)}>
                {label}
                {wrong.has(value) && (
                  <span className={classes.wrong}>
                    <VisuallyHidden> has errors</VisuallyHidden>
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div ref={panels} className={classes.panels}>
        {sections.map(({ value, label, content }) => (
          <section key={value} data-section={value} aria-labelledby={`${id}-${value}`}>
            <Title order={2} id={`${id}-${value}`} tabIndex={-1} mb="sm">
              {label}
            </Title>
            <TabContext value={value}>
              <LevelContext value={3}>
                <Stack gap="md">{content}</Stack>
              </LevelContext>
            </TabContext>
          </section>
        ))}
      </div>
    </div>
  );
}

/** The part of an element that is inside the window. */
function visibleHeight(element: Element): number {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
}

/** The section with the focus while that is in sight, else the one that takes most of the window. */
function useCurrentSection(panels: RefObject<HTMLDivElement | null>, first: string | undefined) {
  const [current, setCurrent] = useState(first);

  const sections = () => [...(panels.current?.querySelectorAll<HTMLElement>('[data-section]') ?? [])];
  useEffect(() => {
    const look = () => {
      const { activeElement } = document;
      const all = sections().map((section) => ({
        name: section.dataset['section'],
        hasFocus: activeElement !== null && section.contains(activeElement) && visibleHeight(activeElement) > 0,
        height: visibleHeight(section),
      }));
      const largest = Math.max(...all.map(({ height }) => height));
      setCurrent((all.find(({ hasFocus }) => hasFocus) ?? all.find(({ height }) => height === largest))?.name ?? first);
    };
    addEventListener('scroll', look, { passive: true });
    addEventListener('focusin', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('focusin', look);
    };
  });

  function show(value: string) {
    const section = sections().find(({ dataset }) => dataset['section'] === value);
    section?.scrollIntoView({ block: 'start' });
    section?.querySelector('h2')?.focus({ preventScroll: true });
    setCurrent(value);
  }
  return { current, show };
}
