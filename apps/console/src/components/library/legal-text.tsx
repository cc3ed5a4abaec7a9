import classes from './library.module.css';

/** The text of a licence. */
export function LegalText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={classes.legal} tabIndex={0} aria-label={label}>
      {text}
    </section>
  );
}
