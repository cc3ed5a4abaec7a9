import { ApiError } from '@hilltop/contract';

/** A refusal with the seconds after which the caller may try again, sent as the `Retry-After` header. */
export class RetryLater extends ApiError<'TOO_MANY'> {
  readonly seconds: number;

  constructor(seconds: number, what = 'attempts') {
    super('TOO_MANY', { what, seconds });
    this.seconds = seconds;
  }
}
