import type { CodecRunResult } from '@hilltop/contract';
import { KeptEnd } from '../kept-end/kept-end.tsx';
import { Status } from '../status/status.tsx';
import { type BenchCase, hexOf, outcomeTones, verdictOf } from './bench-case.ts';
import classes from './codec-bench.module.css';

/** The result of the last run of this input. */
export type ResultOf = (one: BenchCase) => CodecRunResult | undefined;

interface Props {
  label: string;
  cases: readonly BenchCase[];
  resultOf: ResultOf;
  selected: string | undefined;
  onSelect: (key: string) => void;
}

/** The inputs of a source, each with its outcome after a run. The arrow keys select. */
export function CaseList({ label, cases, resultOf, selected, onSelect }: Props) {
  return (
    <div role="radiogroup" aria-label={label} className={classes.cases}>
      {cases.map((one) => {
        const result = resultOf(one);
        const verdict = result && verdictOf(one, result);
        return (
          <label key={one.key} className={classes.case}>
            <input
              type="radio"
              name={label}
              checked={one.key === selected}
              onChange={() => onSelect(one.key)}
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
            <span className={classes.caseTitle} title={[one.title, one.time].filter(Boolean).join(', ')}>
              <span className={classes.caseName}>
                <KeptEnd>{one.title}</KeptEnd>
              </span>
              {one.time && <span className={classes.caseTime}>{one.time}</span>}
            </span>
            <span className={classes.casePayload} title={payloadText(one)}>
              {payloadText(one)}
            </span>
            <span className={classes.caseOutcome}>
              {verdict && <Status tone={outcomeTones[verdict.outcome]}>{verdict.text}</Status>}
            </span>
          </label>
        );
      })}
    </div>
  );
}

function payloadText({ input: { direction, fPort, data, objectJSON } }: BenchCase): string {
  return `${fPort}: ${direction === 'UPLINK' ? hexOf(data) || 'no bytes' : objectJSON}`;
}
