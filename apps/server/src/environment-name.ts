/** The environment variable of a setting: `mapTilesURL` -> `HILLTOP_MAP_TILES_URL`, `mqttTLSCert` -> `HILLTOP_MQTT_TLS_CERT`. */
export function environmentName(setting: string): string {
  const words = setting.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4');
  return `HILLTOP_${words.toUpperCase()}`;
}
