import type { CodecRunResult, Quantities } from '@hilltop/contract';
import { Alert, Button, Group, Text, Title } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import { JsonTree } from '../json-tree/json-tree.tsx';
import { parsedJson } from '../live-log/identifiers.ts';
import { Status } from '../status/status.tsx';
import { type BenchCase, hexOf, outcomeTones, verdictOf } from './bench-case.ts';
import classes from './codec-bench.module.css';
import type { Difference } from './differences.ts';

interface Props {
  of: BenchCase;
  result: CodecRunResult;
  /** The script or the input has changed since the run. */
  isStale: boolean;
  onGoTo: (result: CodecRunResult) => void;
}

/** The result of one run: value, difference, warnings, console, error. */
export function RunResult({ of, result, isStale, onGoTo }: Props) {
  const verdict = verdictOf(of, result);
  const { error, errors, warnings, ms } = result;
  return (
    <div className={classes.result} data-stale={isStale || undefined}>
      <Group gap="sm" className={classes.resultHead}>
        <Status tone={outcomeTones[verdict.outcome]}>{verdict.text}</Status>
        {result.function && <code>{result.function}</code>}
        <Text size="sm" c="dimmed" className="number">
          {ms < 0.1 ? '< 0.1' : ms.toFixed(1)} ms
        </Text>
        {isStale && (
          <Text size="sm" c="dimmed">
            before your last change
          </Text>
        )}
      </Group>
      {error && (
        <Alert color="red" icon={<IconAlertCircle />} p="xs" className={classes.error}>
          {error}
          {result.line > 0 && (
            <div>
              <Button size="compact-xs" variant="default" mt={6} onClick={() => onGoTo(result)}>
                {`Go to line ${result.line} of the ${result.script === 'ENCODER' ? 'encoder' : 'decoder'}`}
              </Button>
            </div>
          )}
        </Alert>
      )}
      {error === '' && errors.length === 0 && <Value result={result} direction={of.input.direction} />}
      <Differences differences={verdict.differences} before={of.vector ? 'Expected' : 'Stored event'} />
      <Lines title="Errors" lines={error === '' ? errors : []} />
      <Lines title="Warnings" lines={warnings} />
      <Lines title="Console" lines={result.console} />
    </div>
  );
}

function Value({ result, direction }: { result: CodecRunResult; direction: string }) {
  const value = useMemo(() => parsedJson(result.objectJSON), [result.objectJSON]);
  if (direction !== 'UPLINK')
    return (
      <Part title="Bytes">
        <p className={classes.bytes}>
          <code>{hexOf(result.data) || 'no bytes'}</code> on port {result.fPort}
        </p>
      </Part>
    );
  return (
    <Part title="Decoded object">
      <JsonTree
        label="Decoded object of the bench"
        value={value}
        quantities={parsedJson(result.quantitiesJSON || '{}') as Quantities}
      />
    </Part>
  );
}

const shown = (value: unknown): string => (value === undefined ? '–' : JSON.stringify(value));

function Differences({ differences, before }: { differences: readonly Difference[]; before: string }) {
  if (differences.length === 0) return null;
  return (
    <Part title="Difference">
      <table className={classes.differences}>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">{before}</th>
            <th scope="col">This run</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((one) => (
            <tr key={one.path}>
              <th scope="row">{one.path}</th>
              <td>{shown(one.before)}</td>
              <td>{shown(one.now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <Part title={title}>
      <pre className={classes.lines}>{lines.join('\n')}</pre>
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={title}>
      <Title order={4} size="h3">
        {title}
      </Title>
      {children}
    </section>
  );
}
