/** Every status of the API with its number and HTTP status. Codes are stable, sentences are not. */
export const statuses = {
  OK: { code: 0, http: 200 },
  Canceled: { code: 1, http: 408 },
  Unknown: { code: 2, http: 500 },
  InvalidArgument: { code: 3, http: 400 },
  DeadlineExceeded: { code: 4, http: 504 },
  NotFound: { code: 5, http: 404 },
  AlreadyExists: { code: 6, http: 409 },
  PermissionDenied: { code: 7, http: 403 },
  ResourceExhausted: { code: 8, http: 429 },
  FailedPrecondition: { code: 9, http: 400 },
  Aborted: { code: 10, http: 409 },
  OutOfRange: { code: 11, http: 400 },
  Unimplemented: { code: 12, http: 501 },
  Internal: { code: 13, http: 500 },
  Unavailable: { code: 14, http: 503 },
  DataLoss: { code: 15, http: 500 },
  Unauthenticated: { code: 16, http: 401 },
} as const;

export type StatusName = keyof typeof statuses;

/** What is wrong with one field; `field` is the JSON path, such as `device.devEUI` or `gateway.boards[0].fpgaID`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface BadRequestDetail {
  readonly '@type': 'type.googleapis.com/google.rpc.BadRequest';
  readonly fieldViolations: readonly FieldViolation[];
}

/** The body of every failed unary call. */
export interface ErrorBody {
  readonly error: string;
  readonly code: number;
  readonly message: string;
  readonly details: readonly BadRequestDetail[];
}

/** What a stream sends instead of a result when it fails. */
export interface StreamErrorBody {
  readonly error: {
    readonly grpcCode: number;
    readonly httpCode: number;
    readonly message: string;
    readonly httpStatus: string;
    readonly details: readonly BadRequestDetail[];
  };
}

/** A refusal the caller is told about: `status` decides the code, `message` is a plain sentence without secrets. */
export class ApiError extends Error {
  readonly status: StatusName;
  readonly fieldViolations: readonly FieldViolation[];

  constructor(status: StatusName, sentence: string, fieldViolations: readonly FieldViolation[] = []) {
    super(sentence);
    this.name = 'ApiError';
    this.status = status;
    this.fieldViolations = fieldViolations;
  }

  get code(): number {
    return statuses[this.status].code;
  }

  get httpStatus(): number {
    return statuses[this.status].http;
  }
}

const longestQuote = 100;

/** What a caller gave, as far as it can stand in a sentence. */
export function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote).toWellFormed()}…`;
}

/** The record is not there: `notFound('service-profile', id)`. */
export function notFound(resource: string, id?: string): ApiError {
  return new ApiError('NotFound', `There is no ${resource}${id === undefined ? '' : ` ${shortened(id)}`}.`);
}

/** A unique value is taken: `alreadyExists('application', { field: 'application.name', called: 'name' })`. */
export function alreadyExists(resource: string, by?: { field: string; called: string }): ApiError {
  const article = /^[aeio]/i.test(resource) ? 'An' : 'A';
  const same = by ? ` with this ${by.called}` : '';
  const error = new ApiError('AlreadyExists', `${article} ${resource}${same} exists already.`);
  return by ? atField(by.field, error) : error;
}

/** The record cannot go while others refer to it: `inUse('service-profile', 'applications')`. */
export function inUse(resource: string, by: string): ApiError {
  return new ApiError('FailedPrecondition', `The ${resource} is in use by ${by}. Remove or change those first.`);
}

/** A limit of the organization or another condition stands in the way. */
export function failedPrecondition(sentence: string): ApiError {
  return new ApiError('FailedPrecondition', sentence);
}

/** One field is not acceptable; the sentence is complete by itself. */
export function invalid(field: string, sentence: string): ApiError {
  return new ApiError('InvalidArgument', sentence, [{ field, description: sentence }]);
}

/** The same refusal, said at the field that caused it as well. */
export function atField(field: string, { status, message }: ApiError): ApiError {
  return new ApiError(status, message, [{ field, description: message }]);
}

/** Several fields are not acceptable. */
export function invalidFields(violations: readonly FieldViolation[]): ApiError {
  const sentences = violations.map(({ field, description }) => `${field}: ${description}`);
  return new ApiError('InvalidArgument', sentences.join(' '), violations);
}

export function permissionDenied(sentence = 'You have no permission for this.'): ApiError {
  return new ApiError('PermissionDenied', sentence);
}

export function unauthenticated(sentence = 'There is no valid session. Sign in again.'): ApiError {
  return new ApiError('Unauthenticated', sentence);
}

export function tooManyRequests(sentence: string): ApiError {
  return new ApiError('ResourceExhausted', sentence);
}

export function unimplemented(sentence: string): ApiError {
  return new ApiError('Unimplemented', sentence);
}

export function unavailable(sentence: string): ApiError {
  return new ApiError('Unavailable', sentence);
}

export function internal(sentence = 'Something went wrong here. The log of the server says more.'): ApiError {
  return new ApiError('Internal', sentence);
}

function details(violations: readonly FieldViolation[]): BadRequestDetail[] {
  if (violations.length === 0) return [];
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }];
}

/** The body of a failed unary call. */
export function errorBody(error: ApiError): ErrorBody {
  return { error: error.message, code: error.code, message: error.message, details: details(error.fieldViolations) };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** What a stream sends when it fails, over a websocket as well as in a plain answer. */
export function streamErrorBody(error: ApiError): StreamErrorBody {
  return {
    error: {
      grpcCode: error.code,
      httpCode: error.httpStatus,
      message: error.message,
      httpStatus: reasons[error.httpStatus] ?? 'Error',
      details: details(error.fieldViolations),
    },
  };
}

/** The name of a status number, as passed through from a network server; an unlisted number is `Unknown`. */
export function statusOfCode(code: number): StatusName {
  const names = Object.keys(statuses) as StatusName[];
  return names.find((name) => statuses[name].code === code) ?? 'Unknown';
}
