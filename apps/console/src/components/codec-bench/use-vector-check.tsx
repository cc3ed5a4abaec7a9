import type { CodecVector } from '@hilltop/contract';
import { type ReactNode, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';
import type { BenchCodec } from './bench-case.ts';
import { countFailing, type RunContext } from './run-codec.ts';

interface VectorCheck {
  /** Runs the vectors and asks before a codec is saved that fails some. Rejects when the user does not want that. */
  check: (codec: BenchCodec, vectors: readonly CodecVector[], context: RunContext) => Promise<void>;
  dialog: ReactNode;
}

interface Question {
  text: string;
  answer: (isConfirmed: boolean) => void;
}

export function useVectorCheck(): VectorCheck {
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = (text: string) =>
    new Promise<boolean>((resolve) =>
      setQuestion({
        text,
        answer: (isConfirmed) => {
          setQuestion(null);
          resolve(isConfirmed);
        },
      }),
    );
  return {
    check: async (codec, vectors, context) => {
      if (vectors.length === 0 || codec.codec === '') return;
      const problem = await problemOf(codec, vectors, context);
      if (problem && !(await ask(`${problem} Save anyway?`))) throw new Error(`Not saved. ${problem}`);
    },
    dialog: (
      <ConfirmDialog
        opened={question !== null}
        onClose={() => question?.answer(false)}
        title="Save with failing test vectors?"
        question={question?.text ?? ''}
        action="Save anyway"
        onConfirm={async () => question?.answer(true)}
      />
    ),
  };
}

async function problemOf(
  codec: BenchCodec,
  vectors: readonly CodecVector[],
  context: RunContext,
): Promise<string | null> {
  try {
    const failing = await countFailing(codec, vectors, context);
    if (failing === 0) return null;
    return `${failing} of ${vectors.length} ${vectors.length === 1 ? 'vector fails' : 'vectors fail'}.`;
  } catch (error) {
    return `The test vectors did not run: ${explain(error)}.`;
  }
}
