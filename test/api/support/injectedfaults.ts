/**
 * Loaded before a program under test: a signal makes a mistake happen in it, of the kinds that nobody handles. Programs do
 * nothing about these two signals by themselves.
 */
process.on('SIGUSR2', () => void Promise.reject(new Error('injected')));
process.on('SIGHUP', () => {
  setTimeout(() => {
    throw new Error('injected');
  });
});
