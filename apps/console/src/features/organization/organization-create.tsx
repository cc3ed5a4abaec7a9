import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { OrganizationForm } from './organization-form.tsx';

export function OrganizationCreate() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader crumbs={[{ label: 'Organizations', to: paths.organizations() }]} title="Create organization" />
      <OrganizationForm
        initial={{ id: '0', name: '', displayName: '', canHaveGateways: false, maxGatewayCount: 0, maxDeviceCount: 0 }}
        submit="Create organization"
        onSubmit={(organization) =>
          perform(api.organization.create({ organization }), {
            changed: ['organization'],
            done: 'organization has been created',
          })
        }
        onSaved={() => void navigate({ to: paths.organizations() })}
      />
    </>
  );
}
