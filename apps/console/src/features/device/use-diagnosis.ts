import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { startDownload } from '../../components/download/start-download.ts';

/** Saves what support needs to know of a device, without keys. Undefined on a server without downloads. */
export function useDiagnosis(devEUI: string): (() => void) | undefined {
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'download', 'create'],
    queryFn: () => api.download.create.isOffered(),
    staleTime: Infinity,
  });
  return isOffered ? () => void startDownload('DIAGNOSIS', 'JSON', { devEUI }) : undefined;
}
