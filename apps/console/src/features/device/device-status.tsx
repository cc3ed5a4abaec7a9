import type { DeviceListItem } from '@hilltop/contract';
import { IconPlug } from '@tabler/icons-react';

const unknownMargin = 256;

/** "7 dB", or "n/a" when the device has not reported it. */
export function marginText(margin: number): string {
  return margin === unknownMargin ? 'n/a' : `${margin} dB`;
}

type Battery = Pick<
  DeviceListItem,
  'deviceStatusExternalPowerSource' | 'deviceStatusBatteryLevelUnavailable' | 'deviceStatusBatteryLevel'
>;

/** A plug, a whole percentage, or "n/a". */
export function BatteryLevel(status: Battery) {
  if (status.deviceStatusExternalPowerSource) {
    return <IconPlug size={16} role="img" aria-label="External power" style={{ verticalAlign: 'middle' }} />;
  }
  return status.deviceStatusBatteryLevelUnavailable ? 'n/a' : `${Math.round(status.deviceStatusBatteryLevel)}%`;
}

/** `deviceStatusBattery` of a device: 0 external power, up to 100 the level in percent; 255 and 256 unknown. */
export function batteryText(battery: number): string {
  if (battery === 0) return 'External power';
  return battery > 100 ? 'n/a' : `${battery}%`;
}
