import type { Read } from '../../api/queries.ts';

type Tagged = Read<{ readonly result: readonly { readonly tags?: Readonly<Record<string, string>> }[] }>;

/** Rows whose tags are suggested: enough to name what is in use. */
export const mostSampled = 200;

/** The names of the tags of these rows, in alphabetical order. */
export const tagKeysOf = ({ queryKey, queryFn }: Tagged): Read<readonly string[]> => ({
  queryKey: [...queryKey, 'names of tags'],
  queryFn: async (context) => {
    const { result } = await queryFn(context);
    return [...new Set(result.flatMap(({ tags = {} }) => Object.keys(tags)))].sort();
  },
});
