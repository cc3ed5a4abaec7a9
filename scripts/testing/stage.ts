/** How a stage of `npm test` runs its program and counts its tests. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface StageResult {
  passed: number;
  failed: number;
}

interface ProgramOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string | undefined;
  /** Receives the output; without it the program writes to the console. */
  print?: ((text: string) => void) | undefined;
}

/** Resolves with the exit status; a program that a signal ended or that does not exist has status 1. */
export function runProgram(command: string, args: readonly string[], options: ProgramOptions): Promise<number> {
  const { env, cwd, print } = options;
  const output = print ? 'pipe' : 'inherit';
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', output, output] });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => print?.(text));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('close', (status) => resolve(status ?? 1));
  });
}

/** A program that fails without a failed test counts as one failure, also when it does not write its counts. */
export function resultOf(status: number, counts: StageResult | undefined): StageResult {
  if (!counts) return { passed: 0, failed: 1 };
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** The content of a JSON file; undefined when it does not exist or is cut off. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
