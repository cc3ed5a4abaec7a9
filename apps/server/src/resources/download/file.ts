import type { Operation, RequestOf, ResponseOf } from '@hilltop/contract';

/**
 * Makes another call with the rights of the person who downloads. Resolves with undefined when the person may not make
 * it, or the record does not exist.
 */
export type CallForFile = <O extends Operation>(
  operation: O,
  request: RequestOf<O>,
) => Promise<ResponseOf<O> | undefined>;

/** A file in parts, each of which is written when the receiver has taken the one before. */
export interface DownloadFile {
  readonly name: string;
  readonly parts: AsyncGenerator<string>;
}
