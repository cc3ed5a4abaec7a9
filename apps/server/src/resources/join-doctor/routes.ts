import type { Operations } from '@hilltop/contract';
import type { Handlers } from '../../http/call.ts';
import { diagnose, toRequestItem } from './diagnose.ts';
import { type FactsDependencies, readFacts } from './facts.ts';

/** Checks why a device does not join. */
export function joinDoctorRoutes(needs: FactsDependencies): Handlers<Operations['joinDoctor']> {
  return {
    get: async ({ devEUI }, { principal }) => {
      const facts = await readFacts(needs, devEUI, principal);
      const { verdict, checks } = diagnose(facts, needs.clock.now().getTime());
      return { verdict, checks, requests: facts.joins.map((join) => toRequestItem(join, facts.gatewayNames)) };
    },
  };
}
