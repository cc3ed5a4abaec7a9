import type { DownloadFormatName, DownloadKindName } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { toast } from '../toast/toast.ts';

/** Lets the browser save a file that the server writes. `request` is that of the operation behind the kind. */
export async function startDownload(kind: DownloadKindName, format: DownloadFormatName, request: object) {
  try {
    const { url } = await perform(api.download.create({ kind, format, requestJSON: JSON.stringify(request) }));
    const anchor = document.createElement('a');
    anchor.href = url;
    anchor.download = '';
    anchor.click();
  } catch (error) {
    toast.error((error as Error).message);
  }
}
