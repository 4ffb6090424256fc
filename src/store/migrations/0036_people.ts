/**
 * People, and as what they belong to accounts. Until all nodes know them, an earlier one goes on by the account's own
 * row: what it writes there is carried over by triggers, and rows that name no person are those of the person whose
 * address the account bears.
 */
export const statements: ReadonlyArray<string> = [
  // `vouched`: whether the address was ever vouched for; only then may an identity with this address join.
  `create table people (
    id text primary key,
    email text not null constraint people_email unique check (email = lower(email)),
    email_key text constraint people_email_key unique,
    password_hash text,
    vouched boolean not null default true,
    created_at bigint not null
  )`,
  // The person whose address and password the account's row repeats; null: that person has left.
  "alter table accounts add column person_id text references people (id) on delete set null",
  "create index accounts_of_person on accounts (person_id) where person_id is not null",
  `create table memberships (
    account_id text not null references accounts (id) on delete cascade,
    person_id text not null references people (id) on delete cascade,
    role text not null check (role in ('viewer', 'operator', 'admin', 'owner')),
    selector text,
    invited_by text,
    since bigint not null,
    primary key (account_id, person_id)
  )`,
  "create index memberships_of_person on memberships (person_id, since)",
  `create table invitations (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    hash bytea not null constraint invitations_hash unique,
    email text not null, email_key text not null,
    role text not null check (role in ('viewer', 'operator', 'admin', 'owner')),
    selector text,
    invited_by text not null,
    created_at bigint not null, expires_at bigint not null
  )`,
  "create index invitations_of_account on invitations (account_id, created_at, id)",
  "create index invitations_by_expiry on invitations (expires_at)",
  // `role`: null where its scopes were given one by one.
  `create table service_accounts (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    role text check (role in ('viewer', 'operator', 'admin')),
    scopes text[] not null,
    selector text,
    disabled boolean not null default false,
    created_by text not null,
    created_at bigint not null
  )`,
  "create index service_accounts_of_account on service_accounts (account_id, created_at, id)",
  "alter table api_keys add column person_id text, add column service_account_id text",
  "create index api_keys_of_person on api_keys (person_id) where person_id is not null",
  "create index api_keys_of_service_account on api_keys (service_account_id) where service_account_id is not null",
  "alter table sessions add column person_id text",
  "create index sessions_of_person on sessions (person_id) where person_id is not null",
  "alter table identities add column person_id text references people (id) on delete cascade",
  "create index identities_of_person on identities (person_id) where person_id is not null",
  "alter table login_codes add column person_id text",
  "alter table device_codes add column person_id text",
  // Who stood behind the credential: the id of a person or of a service account.
  "alter table audit_events add column actor_owner text",
  "alter table logged_requests add column owner_id text",
  `insert into people (id, email, email_key, password_hash, vouched, created_at)
    select 'per_' || regexp_replace(id, '^acc_', ''), email, email_key, password_hash, vouched, created_at from accounts`,
  "update accounts set person_id = 'per_' || regexp_replace(id, '^acc_', '')",
  `insert into memberships (account_id, person_id, role, since)
    select id, person_id, 'owner', created_at from accounts`,
  `create function account_gets_person() returns trigger language plpgsql as $$ begin
    if new.person_id is null then
      if exists (select from people where email_key = new.email_key) then
        raise exception using errcode = 'unique_violation', constraint = 'accounts_email_key',
          message = 'a person has this address';
      end if;
      insert into people (id, email, email_key, password_hash, vouched, created_at)
        values ('per_' || regexp_replace(new.id, '^acc_', ''), new.email, new.email_key, new.password_hash,
          new.vouched, new.created_at)
        returning id into new.person_id;
    end if;
    return new;
  end $$`,
  `create function account_gets_owner() returns trigger language plpgsql as $$ begin
    insert into memberships (account_id, person_id, role, since)
      values (new.id, new.person_id, 'owner', new.created_at);
    return null;
  end $$`,
  `create function account_tells_person() returns trigger language plpgsql as $$ begin
    update people set password_hash = new.password_hash, email_key = new.email_key where id = new.person_id;
    return null;
  end $$`,
  // Who is a member of no account is no person any more. The row is locked first: a membership may just come.
  `create function membership_left() returns trigger language plpgsql as $$ begin
    update accounts set person_id = null, password_hash = null
      where id = old.account_id and person_id = old.person_id;
    perform from people where id = old.person_id for update;
    delete from people where id = old.person_id
      and not exists (select from memberships where person_id = old.person_id);
    return null;
  end $$`,
  `create trigger memberships_left after delete on memberships for each row execute function membership_left()`,
  `create trigger accounts_get_person before insert on accounts
    for each row execute function account_gets_person()`,
  `create trigger accounts_get_owner after insert on accounts
    for each row execute function account_gets_owner()`,
  `create trigger accounts_tell_person after update of password_hash, email_key on accounts
    for each row when (old.person_id = new.person_id and (old.password_hash is distinct from new.password_hash
      or old.email_key is distinct from new.email_key)) execute function account_tells_person()`
]
