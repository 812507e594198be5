#!/usr/bin/env node
/* Checks the version of Node, in syntax that any Node can parse, then loads start.js. */

var wanted = [24, 16]
var found = process.versions.node.split('.')
var major = Number(found[0])
var minor = Number(found[1])

if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  process.stderr.write(
    'windrow needs Node ' +
      wanted.join('.') +
      ' or later; this is Node ' +
      process.versions.node +
      '. Install a newer one from nodejs.org.\n',
  )
  process.exitCode = 2
} else {
  void import('./start.js')
}
