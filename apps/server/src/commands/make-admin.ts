import { parseMessage, User } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { generatePassword, hashPassword } from '../passwords/password.ts';
import { findUserByEmail, insertUser, toRow, updateUser } from '../resources/user/store.ts';
import type { CommandResult } from './command-line.ts';

/** Makes a user an active global admin. A missing one is created with a new password. */
export async function makeAdmin(
  { database, now }: { database: Database; now: Date },
  email: string,
): Promise<CommandResult> {
  const user = parseMessage(User, { email, isAdmin: true, isActive: true });
  const password = generatePassword();
  const passwordHash = await hashPassword(password, 'command line');
  return database.transaction(async () => {
    const existing = await findUserByEmail(database, email);
    if (existing) {
      await updateUser(database, existing.id, { is_admin: true, is_active: true, updated_at: now });
      return { text: `${email} is an active global admin.` };
    }
    await insertUser(database, {
      ...toRow(user, now),
      created_at: now,
      external_id: null,
      email_verified: false,
      password_hash: passwordHash,
    });
    return { text: `${email} was created as a global admin with this password.`, secret: password };
  });
}
