/** Whether load balancers should send calls to this instance: after everything has started, and before it stops. */
export interface Readiness {
  is: 'starting' | 'ready' | 'leaving';
}

/** The answers of `/health/ready` while this instance should get no calls. */
export const notReady = {
  starting: 'This instance is starting.',
  leaving: 'This instance is about to end.',
} as const;
