declare module 'virtual:data-colors.css';

declare module 'virtual:sign-in-facts' {
  import type { ConsoleFacts } from '@hilltop/contract/console-facts';
  export const facts: Pick<ConsoleFacts, 'messages'>;
}

declare module 'virtual:contract-facts' {
  import type { ConsoleFacts } from '@hilltop/contract/console-facts';
  export const facts: Omit<ConsoleFacts, 'integrations'>;
}

declare module 'virtual:integration-facts' {
  import type { ConsoleFacts } from '@hilltop/contract/console-facts';
  export const facts: Omit<ConsoleFacts, 'operations'>;
}

declare module 'maplibre-gl/dist/maplibre-gl-worker.mjs' {
  /** The modules of MapLibre's worker; provides `addProtocol` in the worker thread. */
  export default class MapWorker {
    constructor(self: object);
  }
}
