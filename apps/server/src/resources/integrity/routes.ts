import type { Operations } from '@hilltop/contract';
import { damaged, type Integrity } from '../../database/integrity.ts';
import type { Handlers } from '../../http/call.ts';

/** Reports damage to the stored data to administrators. */
export function integrityRoutes({ integrity }: { integrity: Integrity }): Handlers<Operations['integrity']> {
  return {
    get: () => {
      const findings = [...integrity.findings];
      return { advice: findings.length === 0 ? '' : damaged, findings };
    },
  };
}
