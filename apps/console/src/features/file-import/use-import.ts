import type { FileImport } from '@hilltop/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { query } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';

export const importOf = (id: string) => query('fileImport', 'get', { id });

/** The parameters of the page's address. */
interface ImportAddress {
  /** The import, once a file was sent. */
  import?: string;
  kind?: string;
  /** The application for rows that name none. */
  application?: string;
}

export function useImportAddress(): ImportAddress {
  return useSearch({ strict: false }) as ImportAddress;
}

/** Shows what the server answered, at an address that finds it again. */
export function useShowImport(): (answer: FileImport | null) => void {
  const navigate = useNavigate();
  const address = useImportAddress();
  return (answer) => {
    if (answer) queryClient.setQueryData(importOf(answer.id).queryKey, answer);
    const search = { ...address, import: answer?.id };
    void navigate({ to: '.', search: search as never, replace: answer !== null });
  };
}
