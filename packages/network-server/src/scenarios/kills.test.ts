import { describeKills } from '../testing/kills.ts';

describeKills('state in memory', () => undefined);
