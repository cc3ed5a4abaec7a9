import { User } from '@hilltop/contract';
import { compareWithPBKDF2, isPBKDF2, roundsOf } from '../../passwords/pbkdf2.ts';
import { wrapWeakHash } from '../../passwords/wrapped.ts';
import type { SourceRow } from '../source/postgres.ts';
import { flag, ownID, text, times, whole } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { importRows, NotImportable } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';

const what = 'users';
const weakRounds = 10_000;
/** The default user of every installation of version 3. */
export const defaultUserEmail = 'admin';
const defaultPassword = 'admin';

/** Users with their passwords. A hash of version 3 is verified once, and replaced at the first sign-in. */
export const importUsers: ImportStep = async function* (pass) {
  pass.report.count(what);
  for await (const rows of pass.database.rows('user')) {
    for (const row of rows) await prepareWeakHash(pass, row);
    yield importRows(pass, rows, {
      what,
      nameInReport: (row) => text(row, 'email'),
      problemOf: (row) => problemWith(User, { email: text(row, 'email') }),
      toTargetRows: (row) => importUser(pass, row),
    });
  }
};

/** Determines once for each weak hash what to store instead, which takes as long as a sign-in. */
async function prepareWeakHash({ passwords }: ImportPass, row: SourceRow): Promise<void> {
  const { email, id, password_hash: stored } = row;
  const known = `${String(id)} ${String(stored)}`;
  if (typeof stored !== 'string' || !isPBKDF2(stored) || passwords.has(known)) return;
  if (email === defaultUserEmail && (await matchesHash(defaultPassword, stored))) passwords.set(known, null);
  else if (roundsOf(stored) < weakRounds) passwords.set(known, await wrapWeakHash(stored, Number(id)));
}

async function matchesHash(password: string, stored: string): Promise<boolean> {
  const [expected, actual] = await compareWithPBKDF2(password, stored);
  return expected.equals(actual);
}

function importUser({ imported, passwords, report }: ImportPass, row: SourceRow): TargetRow[] {
  const [id, email, stored] = [ownID(row), text(row, 'email'), text(row, 'password_hash')];
  if (email === '') throw new NotImportable('there is no e-mail address to sign in with');
  if (stored !== '' && !isPBKDF2(stored))
    report.find('notice', what, 'the password hash has an unknown format: set a new password for these users', email);
  const changed = passwords.get(`${id} ${stored}`);
  if (changed === null)
    report.find(
      'security',
      what,
      'the password is the default of every installation of version 3: it is not imported, and the last pass prints a new one',
      email,
    );
  else if (changed !== undefined)
    report.find(
      'security',
      what,
      'the password is hashed so weakly that a copy of the old database reveals it: it is imported with a second hash, but change it after the import',
      email,
    );
  const wanted: TargetRow = {
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
    nameInReport: email,
  };
  imported.users.add(id);
  return [wanted];
}
