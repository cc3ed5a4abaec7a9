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
  /** What MapLibre runs in a thread of its own; gives the thread `addProtocol`. */
  export default class MapWorker {
    constructor(self: object);
  }
}
