import type { HTMLAttributes } from 'react';
import classes from '../../components/combobox/options.module.css';
import type { Destination } from './use-found.ts';

/** A destination in the list of options below a text box. */
export function DestinationOption({
  destination: { label, detail, Icon },
  ...option
}: { destination: Destination } & HTMLAttributes<HTMLDivElement>) {
  return (
    <div {...option} className={classes.option}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div className={classes.text}>
        {label}
        {detail && <span className={classes.detail}>{detail}</span>}
      </div>
    </div>
  );
}
