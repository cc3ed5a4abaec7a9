declare module 'virtual:contract-facts' {
  import type { ConsoleFacts } from '@hilltop/contract/console-facts';
  export const facts: ConsoleFacts;
}
