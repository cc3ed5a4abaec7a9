import type { Logger } from 'pino';
import { OnceAMinute } from '../../audit/once-a-minute.ts';
import { type AuditDependencies, writeAudit } from '../../audit/write.ts';

interface RefusedSignInsDependencies extends AuditDependencies {
  clock: AuditDependencies['clock'] & ConstructorParameters<typeof OnceAMinute>[0];
  log: Logger;
}

/** Writes refused sign-ins to the audit log: once a minute for each account and address. */
export class RefusedSignIns {
  readonly #needs: RefusedSignInsDependencies;
  readonly #written: OnceAMinute;

  constructor(needs: RefusedSignInsDependencies) {
    this.#needs = needs;
    this.#written = new OnceAMinute(needs.clock);
  }

  /** `user` is undefined for an unknown account, which is only counted: its name may be a password in the wrong field. */
  async note(user: { id: number; email: string } | undefined, address: string): Promise<void> {
    const { metrics, log } = this.#needs;
    if (!user || !this.#written.take(`${user.id} ${address}`)) {
      metrics?.count('audit_entries_omitted', { reason: 'sign-in' });
      return;
    }
    try {
      await writeAudit(this.#needs, {
        actor: { kind: 'NOBODY', id: '', name: '' },
        address,
        operation: 'internal.login',
        subject: { kind: 'user', id: String(user.id), name: user.email },
        outcome: 'Unauthenticated',
      });
    } catch (error) {
      log.error({ err: error }, 'an entry of the audit log could not be written');
    }
  }
}
