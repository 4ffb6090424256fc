/**
 * The operations on the records in Redis, as Lua scripts. Each is atomic and idempotent, so that a caller may repeat
 * it after a lost reply. Owns their effects; records.ts owns the keys and types.
 *
 * A node owes an announcement (`owed:`) from the moment Redis assigns a connect or disconnect to it until it confirms
 * the announcement. A daemon whose announcement another node owes is `pending`, and a disconnect keeps its record
 * until it is announced. Redis drops an announcement that a live node has owed for long after it has registered all
 * its daemons.
 */
import { script } from "../../../src/bus/lua-script.ts"
import { nodeEndedMillis, nodeOwedMillisMax } from "../../../src/limits/nodes.ts"

const shared = `
local me, prefix = ARGV[1], KEYS[1]
local function account(id) return prefix .. 'account:' .. id end
local function held(node) return prefix .. 'held:' .. node end
local function ended(id) return prefix .. 'ended:' .. id end
local function last(id) return tonumber(redis.call('GET', ended(id)) or '0') end
local function num(epoch) return string.format('%.0f', epoch) end
local function read(record)
  if not record then return nil end
  local node, epoch, snapshot = string.match(record, '^([^|]*)|(%d+)|(.*)$')
  return node, tonumber(epoch), snapshot
end
local function write(acc, id, node, epoch, snapshot)
  redis.call('HSET', account(acc), id, node .. '|' .. num(epoch) .. '|' .. snapshot)
  redis.call('SADD', held(node), acc .. ' ' .. id)
end
local function mark(id, epoch) redis.call('SET', ended(id), num(epoch), 'PX', ${nodeEndedMillis}) end
local function close(acc, id, node, epoch)
  redis.call('HDEL', account(acc), id)
  redis.call('SREM', held(node), acc .. ' ' .. id)
  mark(id, epoch)
end
local function owes(id)
  local node, epoch, what = read(redis.call('GET', prefix .. 'owed:' .. id))
  return node, epoch, what
end
local function owe(id, node, epoch, what)
  redis.call('SET', prefix .. 'owed:' .. id, node .. '|' .. num(epoch) .. '|' .. what, 'PX', ${nodeEndedMillis})
end
local function settle(id) redis.call('DEL', prefix .. 'owed:' .. id) end
local function knows() return redis.call('EXISTS', prefix .. 'settled') == 1 end
local function said()
  for _, node in ipairs(redis.call('SMEMBERS', prefix .. 'nodes')) do
    if redis.call('GET', prefix .. 'lease:' .. node) == 'partly' then return false end
  end
  return redis.call('EXISTS', prefix .. 'lease:' .. me) == 1
end
local function forgotten(id, ower)
  return redis.call('PTTL', prefix .. 'owed:' .. id) <= ${nodeEndedMillis - nodeOwedMillisMax}
    and redis.call('GET', prefix .. 'lease:' .. ower) == 'wholly'
end
`

/**
 * Answers a word, the record before, and who owes the word when it is pending. `assert`: what is ours already, told
 * again. Without a record: `ended` when this very connection's time online was told to be over, `first` when it was
 * online nowhere, `unknown` when Redis has lost its memory, and then nothing is written unless `was` says: that it goes
 * on `here`, or, once all have said what is theirs, how the database has it. Whoever is fenced hands over what it owes.
 * `gone`: a node whose debts are taken over.
 */
const take = script(`${shared}
local acc, id, epoch, how, fresh, was, gone = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local before = redis.call('HGET', account(acc), id)
local node, old, snapshot = read(before)
local over = node and 0 or last(id)
local ower, owed, what = owes(id)
if (node and old or over) > epoch then
  if ower == me and owed <= epoch and how == 'assert' and what == 'connect' then
    if node then owe(id, node, old, what) else settle(id) end
  end
  return {'fenced', before or '', ''}
end
local word = 'first'
if node then word = 'moved'
elseif over == epoch then word = 'ended'
elseif over == 0 and not knows() then
  if was == '' or was ~= 'here' and not said() then return {'unknown', '', ''} end
  if was ~= 'offline' then word = 'moved' end
end
if node and node ~= me then redis.call('SREM', held(node), acc .. ' ' .. id) end
if not node then redis.call('DEL', ended(id)) end
write(acc, id, me, epoch, fresh ~= '' and fresh or snapshot or '')
if node and ower then
  local mine = ower == me and (owed == epoch or how == 'assert')
  if how == 'assert' and forgotten(id, ower) then gone = ower end
  if what == 'connect' and (mine or ower == gone) then word = 'first'
  elseif ower == gone then settle(id)
  else return {'pending', before, ower} end
end
if word == 'first' or word == 'ended' then owe(id, me, epoch, 'connect') end
return {word, before or '', ''}`)

/**
 * Asks to tell that a time online is over: 1 when it is this node's to tell, and who held it; -1 when Redis has lost
 * what it knew of the daemon, and `was` does not say that it was told to be online. `told`: this node has told its
 * connect. An end whose connect nobody told is no word at all.
 */
const release = script(`${shared}
local acc, id, epoch, told, fresh, was = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7]
local node, old, snapshot = read(redis.call('HGET', account(acc), id))
local ower, owed, what = owes(id)
if node and old > epoch then
  if ower == me and owed <= epoch then
    if what == 'connect' and told == '' then owe(id, node, old, what) else settle(id) end
  end
  return {0, ''}
end
if what == 'end' and ower ~= me then
  if node == me then close(acc, id, me, epoch) end
  return {0, ''}
end
if not node then
  local over = last(id)
  if over > 0 and over < epoch then mark(id, epoch) end
  if over > 0 or knows() then return {0, ''} end
  if was ~= 'online' or not said() then return {-1, ''} end
end
if node and node ~= me then redis.call('SREM', held(node), acc .. ' ' .. id) end
if what == 'connect' and not (ower == me and told ~= '') then
  close(acc, id, me, epoch)
  settle(id)
  return {0, node or ''}
end
write(acc, id, me, epoch, fresh)
owe(id, me, epoch, 'end')
return {1, node or ''}`)

/** What this node owed it has told. After the end of a time online whoever has come since begins another. */
const told = script(`${shared}
local acc, id, epoch = ARGV[2], ARGV[3], tonumber(ARGV[4])
local ower, owed, what = owes(id)
if ower ~= me or owed ~= epoch then return 0 end
settle(id)
if what == 'connect' then return 1 end
local node, old = read(redis.call('HGET', account(acc), id))
if node == me and old == epoch then close(acc, id, me, epoch)
elseif node then owe(id, node, old, 'connect') end
return 1`)

const snapshots = script(`${shared}
for at = 2, #ARGV, 4 do
  local acc, id, epoch = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local node, old = read(redis.call('HGET', account(acc), id))
  if node == me and old == epoch then write(acc, id, me, epoch, ARGV[at + 3]) end
end
return 0`)

/**
 * Renews this node's lease, which says whether all it holds is recorded. Answers whether it had ended, whether a daemon
 * without a record was online nowhere, whether all other nodes are recorded wholly, who they are, and whose lease has
 * ended.
 */
const renew = script(`${shared}
redis.call('SADD', prefix .. 'nodes', me)
local had = redis.call('EXISTS', prefix .. 'lease:' .. me)
redis.call('SET', prefix .. 'lease:' .. me, had == 1 and ARGV[3] or 'partly', 'PX', ARGV[2])
local whole, alive, dead = 1, {}, {}
for _, node in ipairs(redis.call('SMEMBERS', prefix .. 'nodes')) do
  if node ~= me then
    local lease = redis.call('GET', prefix .. 'lease:' .. node)
    if lease then alive[#alive + 1] = node else dead[#dead + 1] = node end
    if lease and lease ~= 'wholly' then whole = 0 end
  end
end
return {had, knows() and 1 or 0, whole, alive, dead}`)

/**
 * Takes over some of what a dead node held; an end it was about to tell is not told yet. Empty: nothing is left of it.
 */
const adopt = script(`${shared}
local dead, most = ARGV[2], tonumber(ARGV[3])
if redis.call('EXISTS', prefix .. 'lease:' .. dead) == 1 then return {} end
local taken = {}
while #taken == 0 do
  local some = redis.call('SPOP', held(dead), most)
  if #some == 0 then redis.call('SREM', prefix .. 'nodes', dead) return {} end
  for _, entry in ipairs(some) do
    local acc, id = string.match(entry, '^(%S+) (%S+)$')
    local record = acc and redis.call('HGET', account(acc), id)
    local node, epoch, snapshot = read(record)
    if node == dead then
      write(acc, id, me, epoch, snapshot)
      local ower, _, what = owes(id)
      if ower == dead and what == 'end' then settle(id) end
      taken[#taken + 1] = record
    end
  end
end
return taken`)

/** Takes daemons that nobody holds and whose time online has not ended since. Answers 1 or 0 for each. */
const recover = script(`${shared}
local out = {}
for at = 2, #ARGV, 4 do
  local free = redis.call('HEXISTS', account(ARGV[at]), ARGV[at + 1]) == 0
    and last(ARGV[at + 1]) == 0
  if free then write(ARGV[at], ARGV[at + 1], me, tonumber(ARGV[at + 2]), ARGV[at + 3]) end
  out[#out + 1] = free and 1 or 0
end
return out`)

/** The scripts. */
export const recordScripts = { take, release, told, snapshots, renew, adopt, recover }
