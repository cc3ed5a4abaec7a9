import { parseMessage, User } from '@hilltop/contract';
import { changesBetween } from '../audit/changes.ts';
import { generatePassword, hashPassword } from '../passwords/password.ts';
import {
  findUserByAnyCase,
  fromRow,
  generatedPassword,
  insertUser,
  toRow,
  updateUser,
} from '../resources/user/store.ts';
import { auditCommand } from './audit.ts';
import type { CommandDependencies, CommandResult } from './command-line.ts';

/** Makes a user an active global admin. A missing one is created with a new password. */
export async function makeAdmin(needs: CommandDependencies, email: string): Promise<CommandResult> {
  const { database, now } = needs;
  const user = parseMessage(User, { email, isAdmin: true, isActive: true });
  const password = generatePassword();
  const passwordHash = await hashPassword(password, 'command line');
  return database.transaction(async () => {
    const existing = await findUserByAnyCase(database, email);
    if (existing) {
      await updateUser(database, existing.id, { is_admin: true, is_active: true, updated_at: now });
      const [before, after] = [fromRow(existing), { ...fromRow(existing), isAdmin: true, isActive: true }];
      await auditCommand(needs, {
        operation: 'user.update',
        subject: { kind: 'user', id: before.id, name: before.email },
        changes: changesBetween(User.fields, before, after),
      });
      return { text: `${before.email} is an active global admin.` };
    }
    const id = await insertUser(database, {
      ...toRow(user, now),
      created_at: now,
      external_id: null,
      email_verified: false,
      ...generatedPassword(passwordHash),
    });
    await auditCommand(needs, {
      operation: 'user.create',
      subject: { kind: 'user', id: String(id), name: email },
      changes: changesBetween(User.fields, null, { ...user, id: String(id) }),
    });
    return {
      text: `${email} was created as a global admin with this password, to be changed after signing in.`,
      secret: password,
    };
  });
}
