import Foundation

/// Whether this process was built with `--sanitize=address`.
package let isUnderAddressSanitizer = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil

/// Whether this process was built with `--sanitize=thread`.
package let isUnderThreadSanitizer = dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil
