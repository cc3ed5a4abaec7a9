import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { FormSection } from './form-section.tsx';
import { FormSections } from './form-sections.tsx';
import { MessageForm } from './message-form.tsx';
import { TextField } from './text-fields.tsx';
import { useMessageForm } from './use-message-form.ts';

const { width } = vi.hoisted(() => ({ width: { em: 90 } }));
beforeEach(() => {
  width.em = 90;
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: width.em >= Number(/min-width: (\d+)em/.exec(media)?.[1] ?? Infinity),
    media,
    addEventListener() {},
    removeEventListener() {},
  }));
});

function Example({ narrow }: { narrow?: 'groups' }) {
  const form = useMessageForm('NetworkServer', { values: { name: '', server: '' } });
  return (
    <MessageForm form={form} submit="Save" onSubmit={async () => {}}>
      <FormSections
        {...(narrow && { narrow })}
        sections={[
          { value: 'first', label: 'First', content: <TextField name="name" /> },
          {
            value: 'second',
            label: 'Second',
            content: (
              <FormSection title="Within">
                <TextField name="server" />
              </FormSection>
            ),
          },
        ]}
      />
    </MessageForm>
  );
}

const list = () => screen.getByRole('navigation', { name: 'Sections of the form' });
const inList = (name: RegExp) => within(list()).getByRole('button', { name });

describe('the sections of a form in a wide window', () => {
  it('are all shown and listed beside them, without tabs', async () => {
    await renderPage(<Example />);
    expect(
      within(list())
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['First', 'Second']);
    expect(screen.queryAllByRole('tab')).toEqual([]);
    const headings = screen.getAllByRole('heading').map((heading) => `${heading.localName} ${heading.textContent}`);
    expect(headings).toEqual(['h2 First', 'h2 Second', 'h3 Within']);
  });

  it('are scrolled to from the list, which marks the current one, and take the focus', async () => {
    const scrolledTo = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {});
    await renderPage(<Example />);
    expect(inList(/First/).getAttribute('aria-current')).toBe('true');
    await userEvent.click(inList(/Second/));
    expect(scrolledTo.mock.contexts.map((section) => (section as HTMLElement).dataset.section)).toEqual(['second']);
    expect(document.activeElement?.textContent).toBe('Second');
    expect(inList(/Second/).getAttribute('aria-current')).toBe('true');
    expect(inList(/First/).getAttribute('aria-current')).toBeNull();
  });

  it('are current while they have the focus in sight, else while they take most of the window', async () => {
    await renderPage(<Example />);
    const place = (element: Element, top: number, bottom: number) =>
      vi.spyOn(element, 'getBoundingClientRect').mockReturnValue({ top, bottom } as DOMRect);
    const [first, second] = ['first', 'second'].map((name) => document.querySelector(`[data-section=${name}]`)!);
    const field = document.querySelector('input[name=server]')!;
    place(first!, -300, 200);
    place(second!, 200, 3000);
    fireEvent.scroll(window);
    expect(inList(/Second/).getAttribute('aria-current')).toBe('true');
    place(first!, 0, 600);
    place(second!, 600, 3000);
    place(field, 650, 690);
    fireEvent.scroll(window);
    expect(inList(/First/).getAttribute('aria-current')).toBe('true');
    await userEvent.click(field);
    expect(inList(/Second/).getAttribute('aria-current')).toBe('true');
    place(field, 900, 940);
    fireEvent.scroll(window);
    expect(inList(/First/).getAttribute('aria-current')).toBe('true');
  });

  it('are marked when they have errors, and the first such field gets the focus', async () => {
    await renderPage(<Example />);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(inList(/First.*has errors/)).toBeTruthy();
    expect(inList(/Second.*has errors/)).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.getAttribute('name')).toBe('name'));
  });
});

describe('the sections of a form in a narrow window', () => {
  it('are tabs', async () => {
    width.em = 60;
    await renderPage(<Example />);
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['First', 'Second']);
  });

  it('are groups below each other when the form is short', async () => {
    width.em = 60;
    await renderPage(<Example narrow="groups" />);
    expect(screen.queryAllByRole('tab')).toEqual([]);
    expect(screen.getByRole('group', { name: 'Second' })).toBeTruthy();
    expect(screen.queryByRole('group', { name: 'First' })).toBeNull();
  });
});
