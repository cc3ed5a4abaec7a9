import { User } from '@hilltop/contract';
import { compareWithPBKDF2, isPBKDF2, roundsOf } from '../../passwords/pbkdf2.ts';
import { wrapWeakHash } from '../../passwords/wrapped.ts';
import type { Carry, Move } from '../move.ts';
import { flag, ownID, text, times, whole } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';
import { carryRows, LeftBehind } from './each-row.ts';

const what = 'users';
const weakRounds = 10_000;
/** Who every installation of version 3 begins with. */
export const defaultPerson = 'admin';
const defaultPassword = 'admin';

/** People with their passwords, which are checked as they are once and hashed anew with the first sign-in. */
export const carryUsers: Carry = async function* (move) {
  move.report.count(what);
  for await (const rows of move.database.rows('user')) {
    for (const row of rows) await lookAtPassword(move, row);
    yield carryRows(move, rows, {
      what,
      called: (row) => text(row, 'email'),
      problemOf: (row) => problemWith(User, { email: text(row, 'email') }),
      carry: (row) => carryUser(move, row),
    });
  }
};

/** Finds out once of each weak hash what is stored in its place: that takes as long as signing in. */
async function lookAtPassword({ passwords }: Move, row: SourceRow): Promise<void> {
  const { email, id, password_hash: stored } = row;
  const known = `${String(id)} ${String(stored)}`;
  if (typeof stored !== 'string' || !isPBKDF2(stored) || passwords.has(known)) return;
  if (email === defaultPerson && (await fits(defaultPassword, stored))) passwords.set(known, null);
  else if (roundsOf(stored) < weakRounds) passwords.set(known, await wrapWeakHash(stored, Number(id)));
}

async function fits(password: string, stored: string): Promise<boolean> {
  const [expected, actual] = await compareWithPBKDF2(password, stored);
  return expected.equals(actual);
}

function carryUser({ carried, passwords, report }: Move, row: SourceRow): WantedRow[] {
  const [id, email, stored] = [ownID(row), text(row, 'email'), text(row, 'password_hash')];
  if (email === '') throw new LeftBehind('there is no e-mail address to sign in with');
  if (stored !== '' && !isPBKDF2(stored))
    report.find('notice', what, 'the password is of a kind we do not know: give these people a new one', email);
  const changed = passwords.get(`${id} ${stored}`);
  if (changed === null)
    report.find(
      'security',
      what,
      'the password is the one that every installation of version 3 begins with: it is not carried, and the last pass prints a new one',
      email,
    );
  else if (changed !== undefined)
    report.find(
      'security',
      what,
      'the password is hashed so weakly that a copy of the old database gives it away: here it is hashed once more, but change it after the move',
      email,
    );
  const wanted: WantedRow = {
    table: 'user',
    values: {
      ...times(row),
      id,
      email,
      external_id: row['external_id'] ?? null,
      email_verified: flag(row, 'email_verified'),
      password_hash: changed === undefined ? (isPBKDF2(stored) ? stored : null) : changed,
      is_admin: flag(row, 'is_admin'),
      is_active: flag(row, 'is_active'),
      session_ttl_minutes: whole(row, 'session_ttl'),
      note: text(row, 'note'),
    },
    called: email,
  };
  carried.users.add(id);
  return [wanted];
}
