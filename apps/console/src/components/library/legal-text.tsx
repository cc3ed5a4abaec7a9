import classes from './library.module.css';

/** The text of a licence. */
export function LegalText({ label, text }: { label: string; text: string }) {
  return (
    // It scrolls on its own, so the keyboard must be able to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.legal} tabIndex={0} aria-label={label}>
      {text}
    </section>
  );
}
