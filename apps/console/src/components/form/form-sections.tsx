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

/** A section is current while its heading is in the upper part of the window. */
const upperPartPx = 160;

/**
 * The section that the user reads: the last one that begins in the upper part of the window, or the one chosen in the
 * list until the page is scrolled.
 */
function useCurrentSection(panels: RefObject<HTMLDivElement | null>, first: string | undefined) {
  const [current, setCurrent] = useState(first);
  const chosenAt = useRef<number>(undefined);

  const sections = () => [...(panels.current?.querySelectorAll<HTMLElement>('[data-section]') ?? [])];
  useEffect(() => {
    const look = () => {
      if (chosenAt.current === scrollY) return;
      chosenAt.current = undefined;
      const begun = sections().filter((section) => section.getBoundingClientRect().top < upperPartPx);
      setCurrent(begun.at(-1)?.dataset['section'] ?? first);
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  });

  function show(value: string) {
    const section = sections().find(({ dataset }) => dataset['section'] === value);
    section?.scrollIntoView({ block: 'start' });
    section?.querySelector('h2')?.focus({ preventScroll: true });
    chosenAt.current = scrollY;
    setCurrent(value);
  }
  return { current, show };
}
