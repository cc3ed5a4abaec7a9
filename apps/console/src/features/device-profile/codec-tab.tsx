import type { CodecRunResult } from '@hilltop/contract';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import type { EditorMark } from '../../components/code-editor/editor-mark.ts';
import type { BenchCodec } from '../../components/codec-bench/bench-case.ts';
import classes from '../../components/codec-bench/codec-bench.module.css';
import type { BenchHandle } from '../../components/codec-bench/codec-bench.tsx';
import type { Vectors } from '../../components/codec-bench/use-vectors.ts';
import { SelectField } from '../../components/form/fields.tsx';
import { useFormContext } from '../../components/form/use-message-form.ts';
import { useMay } from '../../session/session.tsx';
import type { DeviceProfileValues } from './device-profile-values.ts';
import { ScriptField } from './script-field.tsx';
import { decoderSkeleton, encoderSkeleton } from './script-skeletons.ts';

const CodecBench = lazy(() =>
  import('../../components/codec-bench/codec-bench.tsx').then((m) => ({ default: m.CodecBench })),
);

type Script = 'DECODER' | 'ENCODER';
/** The error of the last run, at its script. */
type ScriptMark = EditorMark & { script: Script };

interface Props {
  values: DeviceProfileValues;
  /** Empty for a new device-profile. */
  deviceProfileID: string;
  vectors: Vectors;
}

/** The codec, and beside its scripts the bench. */
export function CodecTab({ values, deviceProfileID, vectors }: Props) {
  const hasBench = useHasBench() && values.payloadCodec !== '';
  const [mark, setMark] = useState<ScriptMark | null>(null);
  const bench = useRef<BenchHandle>(null);
  const markOf = (script: Script) => (mark?.script === script ? mark : null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter' || !bench.current) return;
    event.preventDefault();
    event.stopPropagation();
    bench.current.run();
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
            deviceProfileID={deviceProfileID}
            vectors={vectors}
            handle={bench}
            onError={(result) => setMark(result && scriptMark(result))}
            onGoTo={(result) => setMark({ ...scriptMark(result), focus: true })}
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

const scriptMark = ({ script, line, column }: CodecRunResult): ScriptMark => ({
  script: script === 'ENCODER' ? 'ENCODER' : 'DECODER',
  line,
  column,
});

/** The bench is for users who may change codecs, on a server that runs them. */
function useHasBench(): boolean {
  const { readOnly } = useFormContext();
  const isAllowed = useMay()('codecRun.create') && !readOnly;
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'codecRun'],
    queryFn: () => api.codecRun.create.isOffered(),
    staleTime: Infinity,
    enabled: isAllowed,
  });
  return isAllowed && isOffered;
}
