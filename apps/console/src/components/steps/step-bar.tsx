import classes from './steps.module.css';

interface Props {
  label: string;
  steps: readonly string[];
  /** The index of the current step. */
  current: number;
}

/** The steps of a page, in a row; on a phone only the current one has a name. */
export function StepBar({ label, steps, current }: Props) {
  return (
    <ol className={classes.bar} aria-label={label}>
      {steps.map((step, index) => (
        <li
          key={step}
          className={classes.barStep}
          data-done={index < current || undefined}
          aria-current={index === current ? 'step' : undefined}
        >
          <span className={classes.number}>{index + 1}</span>
          <span className={classes.barName}>{step}</span>
        </li>
      ))}
    </ol>
  );
}
