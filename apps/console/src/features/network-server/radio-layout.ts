import type { RadioPlan, RadioSettings } from '@hilltop/contract';

export interface RadioField {
  name: keyof RadioSettings;
  /** The field is a data-rate of this direction. */
  dataRates?: 'uplink' | 'downlink';
}

interface RadioSection {
  title: string;
  help?: string;
  /** The condition under which the section is shown. */
  when?: (plan: RadioPlan) => boolean;
  fields: readonly RadioField[];
}

const named = (...names: (keyof RadioSettings)[]): RadioField[] => names.map((name) => ({ name }));
const hasTXParamSetup = (plan: RadioPlan) => plan.hasTXParamSetup;

/** The settings except for the channels, in page order; labels and limits come from the contract. */
export const sections: readonly RadioSection[] = [
  {
    title: 'Receive windows',
    help: 'When and where devices listen after an uplink.',
    fields: [
      ...named('rx1Delay', 'rx1DROffset'),
      { name: 'rx2DataRate', dataRates: 'downlink' },
      ...named('rx2Frequency', 'rxWindow', 'rx2PreferOnRX1DRLt', 'rx2PreferOnLinkBudget'),
    ],
  },
  { title: 'Power of gateways', fields: named('downlinkTxPower', 'gatewayPreferMinMargin', 'dutyCycle') },
  {
    title: 'Power and dwell time of devices',
    when: hasTXParamSetup,
    fields: named('uplinkMaxEIRP', 'uplinkDwellTime400ms', 'downlinkDwellTime400ms'),
  },
  {
    title: 'Adaptive data-rate',
    fields: [
      ...named('disableADR', 'installationMargin'),
      { name: 'adrMinDR', dataRates: 'uplink' },
      { name: 'adrMaxDR', dataRates: 'uplink' },
      ...named('adrMinTxPower'),
    ],
  },
  {
    title: 'Class B and C',
    fields: [
      { name: 'classBPingSlotDR', dataRates: 'downlink' },
      ...named('classBPingSlotFrequency', 'classBBeaconFrequency'),
      ...named('classCDownlinkLockMs', 'multicastGatewayDelayMs', 'downlinkTimeoutMs', 'gatewayClockToleranceMs'),
    ],
  },
  { title: 'Rejoin', fields: named('rejoinRequest') },
  { title: 'Commands and sizes', fields: named('disableMACCommands', 'maxMACCommandErrorCount', 'repeaterCompatible') },
  {
    title: 'Network',
    fields: [
      ...named('netID', 'allowUnknownGateways', 'deduplicationDelayMs', 'getDownlinkDataDelayMs'),
      ...named('deviceSessionDays', 'frameLogHistory', 'joinEventAtJoinAccept'),
    ],
  },
];
