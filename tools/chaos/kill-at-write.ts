/**
 * Preloaded into a run of windrow: kills the process before or after a certain write of the stage or the ledger, or counts all
 * of them. A write is a commit, a statement outside a transaction, or a part of ready.ndjson.
 */

import fs, { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const killAt = Number(process.env['WINDROW_CHAOS_KILL_AT'] ?? 0)
const countInto = process.env['WINDROW_CHAOS_COUNT_INTO']
let moments = 0

if (countInto !== undefined) process.on('exit', () => writeFileSync(countInto, String(moments)))

function around<T>(write: () => T): T {
  pass()
  const result = write()
  pass()
  return result
}

function pass(): void {
  moments += 1
  if (moments === killAt) process.kill(process.pid, 'SIGKILL')
}

const { exec, prepare } = DatabaseSync.prototype
const { run } = StatementSync.prototype
const owners = new WeakMap<StatementSync, DatabaseSync>()

function isWatched(database: DatabaseSync): boolean {
  return /(stage|ledger)\.db$/.test(database.location() ?? '')
}

DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given: Parameters<typeof prepare>) {
  const statement = prepare.apply(this, given)
  owners.set(statement, this)
  return statement
}
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  const isWrite = isWatched(this) && !/^\s*(BEGIN|ROLLBACK|SELECT)/i.test(sql)
  return isWrite ? around(() => exec.call(this, sql)) : exec.call(this, sql)
}
StatementSync.prototype.run = function (this: StatementSync, ...values: unknown[]) {
  const database = owners.get(this)
  const work = () => Reflect.apply(run, this, values)
  return database !== undefined && isWatched(database) && !database.isTransaction ? around(work) : work()
} as typeof run

const { writeSync } = fs
fs.writeSync = ((file: number, ...rest: unknown[]) => {
  const work = () => Reflect.apply(writeSync, fs, [file, ...rest]) as number
  return file > 2 ? around(work) : work()
}) as typeof writeSync
syncBuiltinESMExports()
