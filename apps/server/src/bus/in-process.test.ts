import { busConformance } from './bus-conformance.ts';
import { inProcessBus } from './in-process.ts';

busConformance('in process', (onError) => Promise.resolve(inProcessBus(onError)));
