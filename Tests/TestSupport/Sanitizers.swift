import Foundation

/// Whether this process was built with `--sanitize=thread`.
package let isUnderThreadSanitizer = hasSymbol("__tsan_init")

/// Whether this process was built with `--sanitize=address`.
package let isUnderAddressSanitizer = hasSymbol("__asan_init")

private func hasSymbol(_ name: String) -> Bool {
  dlsym(dlopen(nil, RTLD_NOW), name) != nil
}
