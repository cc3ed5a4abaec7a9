import {
  type AuditedSubject,
  auditedSubject,
  hasChangesInResponse,
  includeBefore,
  isAudited,
  isCreation,
  type Message,
  type Operation,
  parseMessage,
  pathParameters,
  type RequestOf,
  type ResponseOf,
  readOperationOf,
  type StatusName,
  valueAt,
} from '@hilltop/contract';
import { changesBetween, type StoredChanges } from '../audit/changes.ts';
import { OnceAMinute } from '../audit/once-a-minute.ts';
import { nameOfSubject, trashedRecord } from '../audit/subject-names.ts';
import { type AuditedCall, type AuditedDevice, withAudit } from '../audit/transactions.ts';
import { type AuditDependencies, type AuditRecord, auditActor, writeAudit } from '../audit/write.ts';
import { toRowID } from '../identifiers.ts';
import { organizationOf } from '../identity/access.ts';
import { callerKey } from '../identity/name-of.ts';
import type { Principal } from '../identity/principals.ts';
import type { Context, Handler } from './call.ts';
import { toApiError } from './errors.ts';

type Request = RequestOf<Operation>;
type Response = ResponseOf<Operation>;
type Fields = Message['fields'];
type Values = Readonly<Record<string, unknown>>;

interface CallAuditDependencies extends AuditDependencies {
  clock: AuditDependencies['clock'] & ConstructorParameters<typeof OnceAMinute>[0];
  log: NonNullable<AuditDependencies['log']> & { error: (line: object, text: string) => void };
  /** The handlers of all operations, which read records before they change. */
  handlers: ReadonlyMap<Operation, Handler<Operation>>;
}

/** Handlers that write without a transaction, and in one wait for nothing but the database. */
const inTransaction: ReadonlySet<string> = new Set([
  'alert.acknowledge',
  'alertReceiver.confirm',
  'alertReceiver.unsubscribe',
  'attention.snooze',
  'delivery.deleteDead',
  'device.deleteKeys',
  'device.updateKeys',
  'fileImport.create',
  'firstSteps.makeProfiles',
  'gatewayCertificate.revoke',
  'internal.createAPIKey',
  'internal.deleteAPIKey',
  'job.resume',
  'job.stop',
  'library.publish',
  'library.withdraw',
  'mqtt.revokeCertificate',
  'organization.create',
  'session.end',
  'session.endOfUser',
  'session.endOthers',
  'view.create',
  'view.delete',
]);

/** Handlers that send, or write in many batches: their entry is written before they begin. */
const writtenFirst: ReadonlySet<string> = new Set([
  'alertRule.test',
  'delivery.retryDead',
  'delivery.sendAgain',
  'delivery.test',
  'fileImport.delete',
  'library.install',
  'library.updateProfiles',
  'library.upload',
  'mail.test',
  'mqtt.disconnectClient',
  'trash.delete',
  'trash.restore',
]);

/** Writes calls of the API to the audit log. */
export class CallAudit {
  readonly #needs: CallAuditDependencies;
  readonly #refused: OnceAMinute;
  readonly #reads: OnceAMinute;

  constructor(needs: CallAuditDependencies) {
    this.#needs = needs;
    this.#refused = new OnceAMinute(needs.clock);
    this.#reads = new OnceAMinute(needs.clock);
  }

  /** Runs the handler. The entry is written in the transaction of its change. */
  run(operation: Operation, request: Request, context: Context, handle: () => Promise<Response>): Promise<Response> {
    if (!isAudited(operation, request)) return handle();
    return this.#audited({ operation, request, context }, handle);
  }

  async #audited({ operation, request, context }: CallParts, handle: () => Promise<Response>): Promise<Response> {
    const call = new AuditedRequest(this.#needs, { operation, request, context });
    if (operation.effect !== 'change') return this.#read(call, { operation, request, context }, handle);
    const run = await withAudit(call, () => this.#handled(call, operation, handle));
    if ('error' in run) {
      if (run.isWritten) await this.#writeOrLog(call.failed(toApiError(run.error, operation).status));
      throw run.error;
    }
    if (!run.isWritten) await call.writeAfter(run.result);
    return run.result;
  }

  /** A read of secrets. A program can read those of a device each second: one entry a minute is enough. */
  async #read(
    call: AuditedRequest,
    { operation, request, context }: CallParts,
    handle: () => Promise<Response>,
  ): Promise<Response> {
    const response = await handle();
    const isRepeatable = operation.method === 'GET';
    if (
      !isRepeatable ||
      this.#reads.take(`${callerKey(context.principal)} ${operation.key} ${JSON.stringify(request)}`)
    )
      await call.writeAfter(response);
    else this.#needs.metrics?.count('audit_entries_omitted', { reason: 'read again' });
    return response;
  }

  /** Notes a call that the access rules refuse, once a minute for each caller. */
  async refused(
    operation: Operation,
    request: unknown,
    { principal, address, requestID }: { principal: Principal; address: string; requestID?: string | undefined },
  ): Promise<void> {
    if (principal === null) return;
    if (!this.#refused.take(callerKey(principal))) {
      this.#needs.metrics?.count('audit_entries_omitted', { reason: 'refused' });
      return;
    }
    const subject = auditedSubject(operation, request);
    const id = subject?.in === 'request' ? idAt(request, subject.of) : '';
    await this.#writeOrLog({
      actor: auditActor(principal),
      address,
      organizationID: await organizationOf(this.#needs.database, operation, request),
      operation: operation.key,
      subject: { kind: subject?.kind ?? 'installation', id },
      outcome: 'PermissionDenied',
      ...(requestID !== undefined && { requestID }),
    });
  }

  #handled(call: AuditedRequest, operation: Operation, handle: () => Promise<Response>): Promise<Response> {
    const { database } = this.#needs;
    if (writtenFirst.has(operation.key)) return database.transaction(() => Promise.resolve()).then(handle);
    if (!inTransaction.has(operation.key)) return handle();
    return database.transaction(async () => {
      const response = await handle();
      call.answered(response);
      return response;
    });
  }

  /** The answer of such a call does not depend on its entry. */
  async #writeOrLog(record: AuditRecord): Promise<void> {
    try {
      await writeAudit(this.#needs, record);
    } catch (error) {
      this.#needs.log.error({ err: error }, 'an entry of the audit log could not be written');
    }
  }
}

/** An ID at a JSON path; '' when there is none. */
function idAt(message: unknown, path: string): string {
  return (valueAt(message, path) as string | undefined) ?? '';
}

const ofInstallation: AuditedSubject = { kind: 'installation', in: 'nowhere', of: '' };

interface CallParts {
  operation: Operation;
  request: Request;
  context: Context;
}

/** A call with effect, from its beginning to its entry. */
class AuditedRequest implements AuditedCall {
  readonly #needs: CallAuditDependencies;
  readonly #parts: CallParts;
  #subject: AuditedSubject;
  readonly #record: AuditedRecord;
  #values: Values;
  #id: string | undefined;
  #organizationID = 0;
  #name = '';
  #before: Values | null = null;
  #beforeFields: Fields | undefined;
  #isUnchanged = false;

  constructor(needs: CallAuditDependencies, parts: CallParts) {
    // A test finds operations without a subject.
    const subject = auditedSubject(parts.operation, parts.request) ?? ofInstallation;
    this.#needs = needs;
    this.#parts = parts;
    this.#subject = subject;
    this.#record = auditedRecord(parts.operation, subject);
    this.#values = valuesIn(parts.request as Values, this.#record.path);
    this.#id = this.#knownID();
  }

  async begin(): Promise<void> {
    this.#id = this.#knownID();
    this.#isUnchanged = false;
    // What owns a new record is known after its handler, which has often read it.
    if (isCreation(this.#parts.operation)) return;
    await this.#readOrganization();
    await this.#readTrashed();
    await this.#readBefore();
    await this.#readName();
  }

  async write(): Promise<boolean> {
    if (this.#isUnchanged) return true;
    if (this.#id === undefined) return false;
    await this.#readMissing();
    await writeAudit(this.#needs, this.#entry());
    return true;
  }

  /** Reads what the handler has not named. */
  async #readMissing(): Promise<void> {
    if (this.#organizationID === 0) await this.#readOrganization();
    await this.#readName();
  }

  async #readOrganization(): Promise<void> {
    const { operation, request } = this.#parts;
    this.#organizationID = await organizationOf(this.#needs.database, operation, request);
  }

  async #readName(): Promise<void> {
    this.#name ||= this.#nameInRecord() ?? (await this.#storedName());
  }

  setDevice({ devEUI, organizationID, name }: AuditedDevice): void {
    if (this.#subject.kind !== 'device' || this.#id !== devEUI) return;
    this.#organizationID = organizationID;
    this.#name = name;
  }

  isAbout(table: string, id: string): void {
    const kind = table.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (this.#subject.in === 'response' && this.#subject.kind === kind) this.#id ??= id;
  }

  setBefore({ fields }: Message, values: Values): void {
    this.#before = values;
    this.#beforeFields = fields;
    const { organizationID } = values;
    if (this.#organizationID === 0 && typeof organizationID === 'string')
      this.#organizationID = toRowID(organizationID);
    if (this.#name === '' && typeof values['name'] === 'string') this.#name = values['name'];
  }

  setUnchanged(): void {
    this.#isUnchanged = true;
  }

  answered(response: Response): void {
    if (this.#subject.in === 'response') this.#id = idAt(response, this.#subject.of);
    const { operation } = this.#parts;
    if (hasChangesInResponse(operation)) this.#values = response as Values;
  }

  /** For handlers that changed nothing in a transaction, and reads. */
  async writeAfter(response: Response): Promise<void> {
    if (this.#id === undefined) this.answered(response);
    if (this.#name === '') {
      await this.begin();
      await this.#readMissing();
    }
    this.#id ??= '';
    this.answered(response);
    await writeAudit(this.#needs, this.#entry());
  }

  /** The handler failed after its entry was written, in the middle of a change in several transactions. */
  failed(outcome: StatusName): AuditRecord {
    return { ...this.#entry(), changes: { changes: [] }, outcome };
  }

  #entry(): AuditRecord {
    const { operation, context } = this.#parts;
    const { kind } = this.#subject;
    const id = this.#id ?? '';
    return {
      actor: auditActor(context.principal),
      address: context.address,
      organizationID:
        kind === 'organization' && this.#organizationID === 0 ? Math.max(0, toRowID(id)) : this.#organizationID,
      operation: operation.key,
      subject: { kind, id, name: this.#name },
      changes: this.#changes(),
      requestID: context.requestID,
      ...(kind === 'job' && { jobID: id }),
    };
  }

  #knownID(): string | undefined {
    const { request, context } = this.#parts;
    if (this.#subject.in === 'request') return idAt(request, this.#subject.of);
    if (this.#subject.in === 'caller') return context.principal?.id ?? '';
    return this.#subject.in === 'nowhere' ? '' : undefined;
  }

  #changes(): StoredChanges {
    if (this.#parts.operation.method === 'DELETE') return changesBetween(this.#beforeFields ?? {}, this.#before, null);
    return changesBetween(this.#record.changing, this.#before, this.#values);
  }

  /** Reads the record with the operation that returns it; a record that does not exist is none. */
  async #readBefore(): Promise<void> {
    const { operation, request, context } = this.#parts;
    const reading = readOperationOf(operation);
    const read = reading && this.#needs.handlers.get(reading);
    if (!read) return;
    const from = pathParameters(operation);
    const given = pathParameters(reading).reduce<Values>(
      (values, { path }, at) => setAt(values, path, valueAt(request, from[at]!.path.join('.'))),
      {},
    );
    const include = includeBefore(reading);
    const answer = async () =>
      read(parseMessage(reading.request, { ...given, ...(include && { include }) }) as Request, context);
    const response = await answer().catch(ignoreMissing);
    const found = response && recordIn(reading.response, response as Values, this.#record.message);
    this.#before = found?.values ?? null;
    this.#beforeFields = found?.fields;
  }

  /** An entry of the trash becomes the record that was deleted: a page of this record shows its restoration. */
  async #readTrashed(): Promise<void> {
    if (this.#subject.kind !== 'trash' || this.#id === undefined) return;
    const entry = await trashedRecord(this.#needs.database, this.#id);
    if (!entry) return;
    this.#subject = { ...this.#subject, kind: entry.kind };
    this.#id = entry.id;
    this.#name = entry.name;
  }

  /** The record in question names itself. */
  #nameInRecord(): string | undefined {
    const { of, in: where } = this.#subject;
    const isOwn = where === 'response' || ['id', 'devEUI'].includes(of.split('.').at(-1) ?? '');
    if (!isOwn) return undefined;
    const { name, email } = { ...this.#values, ...this.#before } as { name?: unknown; email?: unknown };
    return [name, email].find((text): text is string => typeof text === 'string' && text !== '');
  }

  async #storedName(): Promise<string> {
    return this.#id === undefined ? '' : nameOfSubject(this.#needs.database, this.#subject.kind, this.#id);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (toApiError(error).status === 'NotFound') return undefined;
  throw error;
}

/** Where the request of an operation has the record, and which fields of it can change. */
interface AuditedRecord {
  /** '' where the request is the record. */
  path: string;
  message: Message;
  changing: Fields;
}

const auditedRecords = new WeakMap<Operation, Map<string, AuditedRecord>>();

/** Worked out once for each operation and subject: it took as long as comparing the values. */
function auditedRecord(operation: Operation, subject: AuditedSubject): AuditedRecord {
  const bySubject = auditedRecords.get(operation) ?? new Map<string, AuditedRecord>();
  auditedRecords.set(operation, bySubject);
  const name = `${subject.in} ${subject.of}`;
  const record = bySubject.get(name) ?? recordOf(operation, subject);
  bySubject.set(name, record);
  return record;
}

/** The record in a request: the message that has the id of the subject, else a request with a name, else its only message. */
function recordOf(operation: Operation, { in: where, of }: AuditedSubject): AuditedRecord {
  const [member = ''] = where === 'request' && of.includes('.') ? of.split('.') : [];
  const messages = Object.entries(operation.request.fields).filter(([, { kind }]) => kind === 'message');
  const isOnly = messages.length === 1 && !('name' in operation.request.fields);
  const [path = '', field] = messages.find(([name]) => name === member) ?? (isOnly ? messages[0]! : []);
  const isInResponse = hasChangesInResponse(operation);
  const message = isInResponse ? operation.response : (field?.message ?? operation.request);
  const idName = where === 'request' || isInResponse ? of.split('.').at(-1) : 'id';
  const inPath = new Set(pathParameters(operation).map((parameter) => parameter.path.at(-1)));
  const changing = Object.entries(message.fields).filter(([name]) => name !== idName && !inPath.has(name));
  return { path, message, changing: Object.fromEntries(changing) };
}

function valuesIn(request: Values, path: string): Values {
  return path === '' ? request : ((request[path] ?? {}) as Values);
}

/** The same record in the response of the operation that reads it. */
function recordIn(message: Message, response: Values, record: Message): { fields: Fields; values: Values } {
  const messages = Object.entries(message.fields).filter(([, { kind }]) => kind === 'message');
  const [path, field] = messages.find(([, one]) => one.message!.name === record.name) ?? messages[0] ?? [];
  if (path === undefined || !field) return { fields: message.fields, values: response };
  return { fields: field.message!.fields, values: (response[path] ?? {}) as Values };
}

function setAt(target: Values, path: readonly string[], value: unknown): Values {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return { ...target, [name]: value };
  return { ...target, [name]: setAt((target[name] ?? {}) as Values, rest, value) };
}
