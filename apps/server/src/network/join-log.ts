import type { JoinAnswerReport, JoinRequestReport } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

declare module '../database/tables.ts' {
  interface Tables {
    join_log: JoinLogTable;
  }
}

/** The last join-requests of a device: kept apart from its history, which may be off and limits refused frames. */
interface JoinLogTable {
  dev_eui: string;
  /** Lines of JSON, the newest first. The last one may be cut. */
  lines: string;
  /** The bytes of the last join-request, to try keys on. */
  last_frame: Uint8Array;
}

/** A join-request with what gateways answered when they should send its join-accept. */
export interface LoggedJoin extends Omit<JoinRequestReport, 'devEUI' | 'phyPayload'> {
  /** Milliseconds since 1970. */
  at: number;
  answers: Omit<JoinAnswerReport, 'devEUI'>[];
}

interface RequestLine extends Omit<LoggedJoin, 'answers'> {
  kind: 'request';
}

interface AnswerLine {
  kind: 'answer';
  gatewayID: string;
  status: string;
}

type LogLine = RequestLine | AnswerLine;

const mostCharacters = 6_000;
export const mostLoggedJoins = 10;
const mostReceptions = 5;

const added = `lines = excluded.lines || substr(join_log.lines, 1, ${mostCharacters})`;

const addRequest = statement()({
  sql: `insert into join_log (dev_eui, lines, last_frame)
    select dev_eui, $line, $frame from device where dev_eui = $devEUI
    on conflict (dev_eui) do update set ${added}, last_frame = excluded.last_frame`,
  given: { devEUI: 'text', line: 'text', frame: 'bytea' },
});

const addAnswer = statement()({
  sql: ({ from }) => `update join_log set lines = $line || substr(lines, 1, ${mostCharacters}) ${from}
    where dev_eui = $devEUI`,
  given: { devEUI: 'text', line: 'text' },
});

/** Call it in the transaction of the join-request. */
export async function logJoinRequest(database: Database, report: JoinRequestReport, at: number): Promise<void> {
  const { devEUI, phyPayload, joinEUI, devNonce, outcome } = report;
  const receptions = report.receptions.slice(0, mostReceptions);
  const line = textOf({ kind: 'request', at, joinEUI, devNonce, outcome, receptions });
  await addRequest(database).run({ devEUI, line, frame: phyPayload });
}

export async function logJoinAnswer(database: Database, { devEUI, ...answer }: JoinAnswerReport): Promise<void> {
  await addAnswer(database).run({ devEUI, line: textOf({ kind: 'answer', ...answer }) });
}

const textOf = (line: LogLine): string => `${JSON.stringify(line)}\n`;

/** The newest first. */
export async function readJoinLog(
  { query }: Database,
  devEUI: string,
): Promise<{ joins: LoggedJoin[]; lastFrame: Uint8Array | null }> {
  const row = await query
    .selectFrom('join_log')
    .select(['lines', 'last_frame'])
    .where('dev_eui', '=', devEUI)
    .executeTakeFirst();
  return row ? { joins: joinsIn(row.lines), lastFrame: row.last_frame } : { joins: [], lastFrame: null };
}

function joinsIn(lines: string): LoggedJoin[] {
  const joins: LoggedJoin[] = [];
  let answers: LoggedJoin['answers'] = [];
  // What stands behind the last line end was cut.
  for (const text of lines.split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as LogLine;
    if (line.kind === 'answer') {
      answers.unshift({ gatewayID: line.gatewayID, status: line.status });
      continue;
    }
    const { kind: _, ...request } = line;
    joins.push({ ...request, answers });
    answers = [];
  }
  return joins.slice(0, mostLoggedJoins);
}
