/**
 * A request or an event failed. `fault` decides what the delivery does next: after `event` it retries this event later and
 * sends the others, after `endpoint` it pauses the whole integration, and after `gone` the integration stays suspended
 * until a user resumes it.
 */
export class DeliveryError extends Error {
  readonly fault: 'event' | 'endpoint' | 'gone';
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** How long the endpoint asked us to wait (`Retry-After`). */
  readonly retryAfterMs: number | undefined;
  /** The beginning of the response. */
  readonly excerpt: string | undefined;

  constructor(
    fault: DeliveryError['fault'],
    message: string,
    { status, retryAfterMs, excerpt }: { status?: number; retryAfterMs?: number; excerpt?: string } = {},
  ) {
    super(message);
    this.fault = fault;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.excerpt = excerpt;
  }
}

/**
 * The sending thread ended during the request, so it is unknown whether the request arrived. Neither the event nor the
 * endpoint is at fault: the request is repeated, as after a restart.
 */
export class DeliveryInterrupted extends Error {}
