import { User } from '@hilltop/contract';
import { isPBKDF2, roundsOf } from '../../passwords/pbkdf2.ts';
import type { Carry } from '../move.ts';
import { flag, ownID, text, times, whole } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { Wanted } from '../wanted.ts';
import { carryTable, LeftBehind } from './each-row.ts';

const what = 'users';
const weakRounds = 10_000;

/** People with their passwords, which are checked as they are once and hashed anew with the first sign-in. */
export const carryUsers: Carry = (move) =>
  carryTable(move, {
    what,
    database: move.database,
    table: 'user',
    called: (row) => text(row, 'email'),
    problemOf: (row) => problemWith(User, { email: text(row, 'email') }),
    carry: (row) => {
      const [id, email, stored] = [ownID(row), text(row, 'email'), text(row, 'password_hash')];
      if (email === '') throw new LeftBehind('there is no e-mail address to sign in with');
      if (stored !== '' && !isPBKDF2(stored))
        move.report.find(
          'notice',
          what,
          'the password is of a kind we do not know: give these people a new one',
          email,
        );
      const hash = isPBKDF2(stored) ? stored : null;
      if (hash && roundsOf(hash) < weakRounds)
        move.report.find(
          'security',
          what,
          'the password is hashed so weakly that a copy of the database gives it away, such as that of the first administrator of version 3: change it after the move',
          email,
        );
      const wanted: Wanted = {
        table: 'user',
        values: {
          ...times(row),
          id,
          email,
          external_id: row['external_id'] ?? null,
          email_verified: flag(row, 'email_verified'),
          password_hash: hash,
          is_admin: flag(row, 'is_admin'),
          is_active: flag(row, 'is_active'),
          session_ttl_minutes: whole(row, 'session_ttl'),
          note: text(row, 'note'),
        },
        called: email,
      };
      move.carried.users.add(id);
      return [wanted];
    },
  });
