/** Whether balancers are to send somebody here: not before everything has started, and not once it is to end. */
export interface Readiness {
  is: 'starting' | 'ready' | 'leaving';
}

/** What `/health/ready` says while nobody is to come. */
export const notReady = {
  starting: 'This instance is starting.',
  leaving: 'This instance is about to end.',
} as const;
