import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { NumberField, SelectField, SwitchField } from '../../components/form/fields.tsx';
import { numberListProblem } from '../../components/form/number-list.ts';
import { ResourceSelectField } from '../../components/form/resource-select-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { KeyValueField } from '../../components/key-value-input/key-value-field.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Explained } from '../../components/words/explained.tsx';
import type { DeviceProfileValues } from './device-profile-values.ts';

interface Part {
  values: DeviceProfileValues;
}

export function GeneralTab({ values }: Part) {
  const { organizationID } = useIDs();
  const networkServerID = values.networkServerID ?? '';
  const algorithms = useQuery({
    ...query('networkServer', 'getADRAlgorithms', { networkServerId: networkServerID }),
    enabled: networkServerID !== '',
  });
  const offered = (algorithms.data?.adrAlgorithms ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const chosen = values.adrAlgorithmID ?? '';
  // An unreachable network-server offers no choices; keep the stored one.
  const isKnown = chosen === '' || offered.some(({ value }) => value === chosen);
  return (
    <>
      <TextField name="name" />
      <ResourceSelectField
        name="networkServerID"
        query={query('networkServer', 'list', { organizationID, limit: 999, offset: 0 })}
      />
      <SelectField name="macVersion" placeholder="Choose ..." />
      <SelectField name="regParamsRevision" placeholder="Choose ..." />
      <Explained word="revision" />
      <SelectField
        name="adrAlgorithmID"
        placeholder={networkServerID === '' ? 'Choose a network-server first' : 'Choose ...'}
        options={isKnown ? offered : [...offered, { value: chosen, label: chosen }]}
      />
      <NumberField name="maxEIRP" />
      <Explained word="eirp" />
      <NumberField name="uplinkInterval" required />
    </>
  );
}

export function JoinTab({ values }: Part) {
  return (
    <>
      <SwitchField name="supportsJoin" />
      {!values.supportsJoin && (
        <>
          <NumberField name="rxDelay1" />
          <NumberField name="rxDROffset1" />
          <NumberField name="rxDataRate2" />
          <Explained word="dataRate" />
          <NumberField name="rxFreq2" />
          <TextField
            name="factoryPresetFreqs"
            inputMode="numeric"
            placeholder="868100000, 868300000, 868500000"
            validate={(text: string) => numberListProblem(text, '868100000, 868300000')}
          />
        </>
      )}
    </>
  );
}

export function ClassBTab({ values }: Part) {
  return (
    <>
      <SwitchField name="supportsClassB" />
      {values.supportsClassB && (
        <>
          <NumberField name="classBTimeout" />
          <SelectField name="pingSlotPeriod" />
          <NumberField name="pingSlotDR" />
          <Explained word="dataRate" />
          <NumberField name="pingSlotFreq" />
        </>
      )}
    </>
  );
}

export function ClassCTab({ values }: Part) {
  return (
    <>
      <SwitchField name="supportsClassC" />
      {values.supportsClassC && <NumberField name="classCTimeout" />}
    </>
  );
}

export function TagsTab() {
  return <KeyValueField name="tags" noun="tag" />;
}
