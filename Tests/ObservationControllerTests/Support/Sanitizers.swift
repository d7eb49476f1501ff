import Foundation

/// Whether this process was built with `--sanitize=thread`.
let isUnderThreadSanitizer = hasSymbol("__tsan_init")

/// Whether this process was built with `--sanitize=address`.
let isUnderAddressSanitizer = hasSymbol("__asan_init")

/// How often to do something at random: a tenth where a sanitizer takes five to ten times as long.
func repetitions(_ count: Int) -> Int {
  isUnderThreadSanitizer || isUnderAddressSanitizer ? count / 10 : count
}

private func hasSymbol(_ name: String) -> Bool {
  dlsym(dlopen(nil, RTLD_NOW), name) != nil
}
