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
