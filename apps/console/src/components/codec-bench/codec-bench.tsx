import type { CodecRunResult } from '@hilltop/contract';
import { Button, Group, Kbd, Tabs, Text, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useId, useImperativeHandle, useMemo, useState } from 'react';
import { query } from '../../api/queries.ts';
import { Disclosure } from '../disclosure/disclosure.tsx';
import form from '../form/form.module.css';
import { KeyValueInput } from '../key-value-input/key-value-input.tsx';
import { useIDs } from '../link/use-ids.ts';
import { keyLabel } from '../shortcuts/key-label.ts';
import { InlineError } from '../states/states.tsx';
import { type BenchCase, type BenchCodec, caseOfUplink, caseOfVector, verdictOf } from './bench-case.ts';
import { CaseList, type ResultOf } from './case-list.tsx';
import classes from './codec-bench.module.css';
import { BytesSource, emptyPayload, ObjectSource, typedInput } from './payload-sources.tsx';
import { runCodec, type Variables } from './run-codec.ts';
import { RunResult } from './run-result.tsx';
import type { UplinkTrial } from './uplink-trial.ts';
import type { Vectors } from './use-vectors.ts';
import { SaveVector, VectorTools } from './vector-tools.tsx';

type Source = 'uplinks' | 'vectors' | 'bytes' | 'object';

/** Runs the bench from outside, for its shortcut. */
export interface BenchHandle {
  run: () => void;
}

interface Props {
  codec: BenchCodec;
  /** Empty for a new device-profile, which has no uplinks. */
  deviceProfileID: string;
  vectors: Vectors;
  /** The variables that scripts are given. */
  variables: Variables;
  onVariables: (variables: Variables) => void;
  handle: RefObject<BenchHandle | null>;
  /** Called with the first error of a run, or null without one. */
  onError: (result: CodecRunResult | null) => void;
  /** Called after a run on the last uplinks. */
  onTrial: (trial: UplinkTrial) => void;
  /** Moves the focus to the line of an error. */
  onGoTo: (result: CodecRunResult) => void;
}

const shownUplinks = 20;

/** Runs the codec of the form, as it is, on received uplinks, test vectors, or a payload of the user. */
export function CodecBench({
  codec,
  deviceProfileID,
  vectors,
  variables,
  onVariables,
  handle,
  onError,
  onTrial,
  onGoTo,
}: Props) {
  const id = useId();
  const uplinks = useQuery({
    ...query('profileUplink', 'list', { deviceProfileID, limit: shownUplinks }),
    enabled: deviceProfileID !== '',
    refetchOnWindowFocus: false,
  });
  const [chosenSource, setSource] = useState<Source | null>(null);
  const [typed, setTyped] = useState(emptyPayload);
  const [chosen, setChosen] = useState<Partial<Record<Source, string>>>({});
  const source =
    chosenSource ?? (uplinks.data?.result.length ? 'uplinks' : vectors.list.length > 0 ? 'vectors' : 'bytes');
  const casesOf = useCases(uplinks.data?.result ?? [], vectors.list, typed);
  const cases = casesOf[source];
  const runner = useRunner(codec, variables, (ran, results) => {
    onError(results.find((one) => one.error !== '' && one.line > 0) ?? null);
    if (ran === casesOf.uplinks) onTrial({ codec, results });
  });
  const selected = cases.find(({ key }) => key === chosen[source]) ?? cases[0];
  const result = selected && runner.resultOf(selected);
  const run = () => void runner.run(cases);
  useImperativeHandle(handle, () => ({ run }));

  return (
    <section aria-labelledby={id} className={classes.bench}>
      <BenchHeader id={id} isPending={runner.isPending} isDisabled={cases.length === 0} onRun={run} />
      <BenchSources
        {...{ source, setSource, cases, casesOf, uplinks, vectors, runner }}
        hasUplinks={deviceProfileID !== ''}
        selected={selected?.key}
        onSelect={(key) => setChosen((known) => ({ ...known, [source]: key }))}
        typing={{ value: typed, onChange: setTyped, onRun: run }}
      />
      <Disclosure label="Variables of the device">
        <KeyValueInput
          noun="variable"
          value={variables}
          onChange={(given, problem) => problem === null && onVariables(given)}
        />
      </Disclosure>
      <InlineError error={runner.error} />
      <BenchResult
        of={selected}
        result={result}
        isVector={source === 'vectors'}
        isStale={selected !== undefined && runner.isStale(selected)}
        vectors={vectors}
        onGoTo={onGoTo}
      />
    </section>
  );
}

interface BenchSourcesProps extends Pick<Props, 'vectors'> {
  source: Source;
  setSource: (source: Source) => void;
  hasUplinks: boolean;
  cases: readonly BenchCase[];
  casesOf: Record<Source, readonly BenchCase[]>;
  uplinks: { data: { result: readonly unknown[] } | undefined; error: unknown };
  runner: { resultOf: ResultOf };
  selected: string | undefined;
  onSelect: (key: string) => void;
  typing: Parameters<typeof BytesSource>[0];
}

/** What the codec runs on, one tab for each source. */
function BenchSources(props: BenchSourcesProps) {
  const { source, setSource, hasUplinks, cases, casesOf, uplinks, vectors, runner, typing } = props;
  const listing = { resultOf: runner.resultOf, selected: props.selected, onSelect: props.onSelect };
  return (
    <Tabs value={source} onChange={(next) => setSource(next as Source)} keepMounted={false}>
      <Tabs.List className={form.tabs ?? ''} aria-label="What the codec runs on">
        {hasUplinks && <Tabs.Tab value="uplinks">Last uplinks</Tabs.Tab>}
        <Tabs.Tab value="vectors">{vectorsLabel(casesOf.vectors, runner.resultOf)}</Tabs.Tab>
        <Tabs.Tab value="bytes">Bytes</Tabs.Tab>
        <Tabs.Tab value="object">JSON object</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="uplinks" pt="sm" className={classes.source}>
        <Explain>The decoder runs on these uplinks. The results are compared with the stored events.</Explain>
        <InlineError error={uplinks.error} />
        {uplinks.data?.result.length === 0 && <Nothing>No device with this profile has sent an uplink yet.</Nothing>}
        <CaseList label="Last uplinks" cases={cases} {...listing} />
      </Tabs.Panel>
      <Tabs.Panel value="vectors" pt="sm" className={classes.source}>
        <VectorsIntroduction vectors={vectors} />
        <CaseList label="Test vectors" cases={cases} {...listing} />
      </Tabs.Panel>
      <Tabs.Panel value="bytes" pt="sm" className={classes.source}>
        <RunsFunction input="bytes" run="decoder" first="Decode" second="decodeUplink" />
        <BytesSource {...typing} />
      </Tabs.Panel>
      <Tabs.Panel value="object" pt="sm" className={classes.source}>
        <RunsFunction input="object" run="encoder" first="Encode" second="encodeDownlink" />
        <ObjectSource {...typing} />
      </Tabs.Panel>
    </Tabs>
  );
}

interface BenchResultProps extends Pick<Props, 'vectors' | 'onGoTo'> {
  of: BenchCase | undefined;
  result: CodecRunResult | undefined;
  isVector: boolean;
  isStale: boolean;
}

/** The result of the selected case, and what can be done with it. */
function BenchResult({ of, result, isVector, isStale, vectors, onGoTo }: BenchResultProps) {
  return (
    <div aria-live="polite" className={classes.results}>
      {of && result ? (
        <RunResult of={of} result={result} isStale={isStale} onGoTo={onGoTo} />
      ) : (
        <Nothing>Run shows the result here. Nothing is stored.</Nothing>
      )}
      {of && isVector && <VectorTools key={of.key} of={of} result={result} vectors={vectors} />}
      {of && result && !isVector && <SaveVector key={of.key} of={of} result={result} vectors={vectors} />}
    </div>
  );
}

interface BenchHeaderProps {
  id: string;
  isPending: boolean;
  isDisabled: boolean;
  onRun: () => void;
}

function BenchHeader({ id, isPending, isDisabled, onRun }: BenchHeaderProps) {
  return (
    <Group justify="space-between" gap="sm">
      <Title order={3} id={id}>
        Codec bench
      </Title>
      <Button
        size="xs"
        variant="light"
        leftSection={<IconPlayerPlay size={14} />}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        rightSection={
          <Kbd size="xs" aria-hidden className={classes.shortcut ?? ''}>
            {keyLabel('mod+Enter')}
          </Kbd>
        }
        loading={isPending}
        disabled={isDisabled}
        onClick={onRun}
      >
        Run
      </Button>
    </Group>
  );
}

function VectorsIntroduction({ vectors }: { vectors: Vectors }) {
  return (
    <>
      <Explain>
        A test vector has an input and the result that the codec must have. Saving the profile runs all of them.
      </Explain>
      <InlineError error={vectors.error} />
      {!vectors.isPending && vectors.list.length === 0 && (
        <Nothing>
          No test vectors yet. Run the codec on an uplink or on bytes, then save the result as a vector.
        </Nothing>
      )}
    </>
  );
}

/** Which function of a script runs: that of version 3 comes first. */
function RunsFunction({ input, run, first, second }: Record<'input' | 'run' | 'first' | 'second', string>) {
  return (
    <Explain>
      The {run} runs on {input === 'bytes' ? 'these bytes' : 'this object'}: <code>{first}</code>, or{' '}
      <code>{second}</code> if there is no <code>{first}</code>.
    </Explain>
  );
}

const Explain = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed" mb="xs">
    {children}
  </Text>
);
const Nothing = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed" className={classes.nothing}>
    {children}
  </Text>
);

/** "Test vectors", after a run with how many pass. */
function vectorsLabel(cases: readonly BenchCase[], resultOf: ResultOf): string {
  const results = cases.map(resultOf);
  if (results.every((result) => !result)) return cases.length === 0 ? 'Test vectors' : `Test vectors (${cases.length})`;
  const passing = cases.filter((one, at) => results[at] && verdictOf(one, results[at]).outcome === 'passed').length;
  return `Test vectors (${passing} of ${cases.length} pass)`;
}

function useCases(
  uplinks: readonly Parameters<typeof caseOfUplink>[0][],
  vectors: Vectors['list'],
  typed: typeof emptyPayload,
): Record<Source, readonly BenchCase[]> {
  return useMemo(() => {
    const own = (kind: 'bytes' | 'object'): BenchCase[] => {
      const input = typedInput(kind, typed);
      const title = kind === 'bytes' ? 'Own bytes' : 'Own object';
      const payload = kind === 'bytes' ? typed.hex.trim() : `object for port ${typed.fPort}`;
      return input ? [{ key: kind, title, vectorName: payload.slice(0, 40) || 'No bytes', input }] : [];
    };
    return {
      uplinks: uplinks.map(caseOfUplink),
      vectors: vectors.map(caseOfVector),
      bytes: own('bytes'),
      object: own('object'),
    };
  }, [uplinks, vectors, typed]);
}

/** The results of the last runs. They stay until the next run of the same input. */
function useRunner(
  codec: BenchCodec,
  variables: Variables,
  onRan: (cases: readonly BenchCase[], results: readonly CodecRunResult[]) => void,
) {
  const { organizationID } = useIDs();
  const [ran, setRan] = useState<ReadonlyMap<string, { result: CodecRunResult; input: string; codec: string }>>(
    new Map(),
  );
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const codecKey = JSON.stringify([codec, variables]);
  const inputKey = ({ input }: BenchCase) => JSON.stringify(input);

  async function run(cases: readonly BenchCase[]) {
    if (isPending || cases.length === 0) return;
    setPending(true);
    setError(null);
    try {
      const inputs = cases.map(({ input }) => input);
      const results = await runCodec(codec, inputs, { organizationID, variables });
      const found = cases.map(
        (one, at) => [one.key, { result: results[at]!, input: inputKey(one), codec: codecKey }] as const,
      );
      setRan((known) => new Map([...known, ...found]));
      onRan(cases, results);
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
    }
  }

  return {
    run,
    error,
    isPending,
    resultOf: (one: BenchCase) => {
      const known = ran.get(one.key);
      return known?.input === inputKey(one) ? known.result : undefined;
    },
    isStale: (one: BenchCase) => ran.get(one.key)?.codec !== codecKey,
  };
}
