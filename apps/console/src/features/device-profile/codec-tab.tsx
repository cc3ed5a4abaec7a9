import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, Suspense, useRef } from 'react';
import { api } from '../../api/client.ts';
import type { BenchCodec } from '../../components/codec-bench/bench-case.ts';
import classes from '../../components/codec-bench/codec-bench.module.css';
import type { BenchHandle } from '../../components/codec-bench/codec-bench.tsx';
import type { Variables } from '../../components/codec-bench/run-codec.ts';
import { markOfResult, type ScriptMark } from '../../components/codec-bench/script-mark.ts';
import type { UplinkTrial } from '../../components/codec-bench/uplink-trial.ts';
import type { Vectors } from '../../components/codec-bench/use-vectors.ts';
import { SelectField } from '../../components/form/fields.tsx';
import { useFormContext } from '../../components/form/use-message-form.ts';
import { useMay } from '../../session/session.tsx';
import type { DeviceProfileValues } from './device-profile-values.ts';
import { ScriptField } from './script-field.tsx';
import { decoderSkeleton, encoderSkeleton } from './script-skeletons.ts';

const CodecImport = lazy(() =>
  import('../../components/codec-bench/codec-import.tsx').then((m) => ({ default: m.CodecImport })),
);
const CodecBench = lazy(() =>
  import('../../components/codec-bench/codec-bench.tsx').then((m) => ({ default: m.CodecBench })),
);

interface Props {
  values: DeviceProfileValues;
  /** Empty for a new device-profile. */
  deviceProfileID: string;
  vectors: Vectors;
  variables: Variables;
  onVariables: (variables: Variables) => void;
  /** The error of the last run, or of the last attempt to save. */
  mark: ScriptMark | null;
  onMark: (mark: ScriptMark | null) => void;
  onTrial: (trial: UplinkTrial) => void;
}

/** The codec, and beside its scripts the bench. */
export function CodecTab({ values, mark, onMark, ...bench }: Props) {
  const hasBench = useIsOffered('codecRun') && values.payloadCodec !== '';
  const hasImport = useIsOffered('codecImport');
  const { form } = useFormContext();
  const handle = useRef<BenchHandle>(null);
  const markOf = (script: ScriptMark['script']) => (mark?.script === script ? mark : null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter' || !handle.current) return;
    event.preventDefault();
    event.stopPropagation();
    handle.current.run();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the shortcut of everything inside
    <div
      className={hasBench ? classes.split : classes.scripts}
      data-split={hasBench || undefined}
      onKeyDownCapture={onKeyDown}
    >
      <div className={classes.scripts}>
        <SelectField name="payloadCodec" />
        {hasImport && (
          <Suspense fallback={<Skeleton height={94} />}>
            <CodecImport
              codec={codecOf(values)}
              vectors={bench.vectors.list}
              onImport={({ payloadDecoderScript, payloadEncoderScript, vectors }) => {
                form.set('payloadCodec', 'CUSTOM_JS');
                form.set('payloadDecoderScript', payloadDecoderScript);
                form.set('payloadEncoderScript', payloadEncoderScript);
                if (vectors.length > 0) bench.vectors.set(vectors);
                onMark(null);
              }}
            />
          </Suspense>
        )}
        {values.payloadCodec === 'CUSTOM_JS' && (
          <>
            <ScriptField name="payloadDecoderScript" skeleton={decoderSkeleton} mark={markOf('DECODER')} />
            <ScriptField name="payloadEncoderScript" skeleton={encoderSkeleton} mark={markOf('ENCODER')} />
          </>
        )}
      </div>
      {hasBench && (
        <Suspense fallback={<Skeleton height={480} />}>
          <CodecBench
            codec={codecOf(values)}
            {...bench}
            handle={handle}
            onError={(result) => onMark(result && markOfResult(result))}
            onGoTo={(result) => onMark({ ...markOfResult(result), focus: true })}
          />
        </Suspense>
      )}
    </div>
  );
}

export const codecOf = ({
  payloadCodec = '',
  payloadDecoderScript = '',
  payloadEncoderScript = '',
}: Partial<DeviceProfileValues>): BenchCodec => ({
  codec: payloadCodec,
  decoderScript: payloadDecoderScript,
  encoderScript: payloadEncoderScript,
});

/** Bench and import are for users who may change codecs, on a server that has them. */
function useIsOffered(resource: 'codecRun' | 'codecImport'): boolean {
  const { readOnly } = useFormContext();
  const isAllowed = useMay()(`${resource}.create`) && !readOnly;
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', resource],
    queryFn: () => api[resource].create.isOffered(),
    staleTime: Infinity,
    enabled: isAllowed,
  });
  return isAllowed && isOffered;
}
