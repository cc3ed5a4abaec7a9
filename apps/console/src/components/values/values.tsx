import classes from './values.module.css';
import type { NamedValue } from './values.ts';

const longText = 60;
const longestTitle = 2000;

/** Decoded values, each in large type below its name. */
export function Values({ values, label }: { values: readonly NamedValue[]; label: string }) {
  return (
    <dl className={classes.values} aria-label={label}>
      {values.map(({ name, text }) => (
        <div key={name}>
          <dt className={classes.name}>{name || 'value'}</dt>
          <dd className={classes.value} title={text.length > longText ? text.slice(0, longestTitle) : undefined}>
            {text.slice(0, longestTitle)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
