/// Setting a property of one object whenever that of another one changes.
///
/// A binding is an observation of its source: it is listed with the others, and ends as they do, by
/// its token, by ``unobserve(_:_:)`` of the source, or with the controller. It also ends when its
/// target is deallocated, at the latest when the source is set next or the tables are used. An
/// observation of the source with a handler is apart from it, and so is a binding to another
/// property.
///
/// The target is held weakly, and the source only by a controller that retains. The observer is not
/// notified, but nothing is set once it is deallocated.
///
/// A property that is bound to itself stays as it is. Two properties of which each is bound to the
/// other set each other until ``ObservationIssue/cycle(keyPath:file:line:)`` is reported:
/// ``bindTwoWay(_:_:with:_:file:line:)`` is made for them.
extension ObservationController {
  /// Sets `targetKeyPath` of `target` to the value at `keyPath` of `source`: now, and after each
  /// change.
  ///
  ///     observations.bind(person, \.name, to: label, \.text)
  ///
  /// Binding a source to the same target again changes nothing and returns the first token,
  /// whatever it is converted by. A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, sets nothing and returns an
  /// inactive token.
  ///
  /// A binding is an observation of its source. It ends by its token, by ``unobserve(_:_:)`` of the
  /// source, when source, target or observer is deallocated, and with the controller.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: A property, or any nested, optional-chained, subscripted or computed path that
  ///     reads properties.
  ///   - target: Held weakly.
  ///   - targetKeyPath: Property to set; it need not be observable. Set on the thread that made the
  ///     change, before the assignment returns, once for each change, with no lock held. Swift
  ///     reads it before each set, in a debug build and where the key path is no literal:
  ///     ``bind(_:_:to:isolation:file:line:_:)`` does not.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads, however
  ///   many bindings and observations of source and target there are. A mutation in
  ///   place copies what source and target share, as it does after every assignment of a value.
  @inlinable @inline(__always)
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: consuming KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: consuming ReferenceWritableKeyPath<Target, Value>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    bind(
      source, .reading(consume keyPath), to: target, .setting(consume targetKeyPath), nil, file,
      line
    ) { (_, value: Value) in value }
  }

  /// Sets the optional `targetKeyPath` of `target` to the value at `keyPath` of `source`: now, and
  /// after each change.
  ///
  /// For targets such as the text of a label, which may be `nil`. Everything else is as with
  /// ``bind(_:_:to:_:file:line:)-(_,_,_,ReferenceWritableKeyPath<Target,Value>,_,_)``.
  ///
  /// - Returns: A token that ends this binding alone.
  @inlinable @inline(__always)
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: consuming KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: consuming ReferenceWritableKeyPath<Target, Value?>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    bind(
      source, consume keyPath, to: target, consume targetKeyPath, isolation: nil, file: file,
      line: line
    ) { $0 }
  }

  /// Sets `targetKeyPath` of `target` to the value at `keyPath` of `source`, converted by
  /// `transform`: now, and after each change.
  ///
  ///     observations.bind(person, \.age, to: label, \.text) { "\($0) years" }
  ///
  /// A property that is bound to itself is transformed until it stays as it is. Everything else is
  /// as without `transform`.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: As without `transform`.
  ///   - target: Held weakly.
  ///   - targetKeyPath: Property to set; it need not be observable.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - transform: Runs on the thread that made the change, before the assignment returns, once
  ///     for each change, with no lock held. Released when the binding ends.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads; each
  ///   change calls `transform` once.
  @inlinable @inline(__always)
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject, TargetValue>(
    _ source: Source, _ keyPath: consuming KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: consuming ReferenceWritableKeyPath<Target, TargetValue>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    transform: @escaping (Value) -> TargetValue
  ) -> ObservationToken {
    bind(
      source, .reading(consume keyPath), to: target, .setting(consume targetKeyPath), isolation,
      file, line, transformsItself: true
    ) { (_, value: Value) in transform(value) }
  }

  /// Calls `set` with `target` and the value at `keyPath` of `source`: now, and after each change.
  ///
  ///     observations.bind(person, \.name, to: field) { field, name in
  ///       field.show(name, animated: false)
  ///     }
  ///
  /// For targets that are set by a method, and those whose property must not be read: setting a
  /// property by a key path reads it first where the key path is no literal, and in debug builds.
  ///
  /// Binding a source to the same target again from the same line changes nothing and returns the
  /// first token; from another line it is another binding, which may set something else. Everything
  /// else is as with a key path.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: As ``bind(_:_:to:_:isolation:file:line:transform:)`` has it.
  ///   - target: Held weakly.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - set: Runs on the thread that made the change, before the assignment returns, once for each
  ///     change, with no lock held. Released when the binding ends.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads; each
  ///   change calls `set` once.
  @inlinable @inline(__always)
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: consuming KeyPath<Source, Value>, to target: Target,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    _ set: @escaping (Target, Value) -> Void
  ) -> ObservationToken {
    bind(
      source, .reading(consume keyPath), to: target, .calling(set), isolation, file, line,
      setter: "\(file):\(line)"
    ) { (_, value: Value) in value }
  }

  /// Sets a property after each change of the source; every binding in one direction ends here.
  ///
  /// - Parameters:
  ///   - transformsItself: Whether a property that is bound to itself is set, too.
  ///   - setter: Identifies a target that is set by a closure.
  ///   - convert: Makes the value to set, from the object to be set and the value of the source.
  @inlinable
  func bind<Source: AnyObject, Value, TargetValue>(
    _ source: Source, _ access: KeyPathAccess, to target: AnyObject, _ targetAccess: KeyPathAccess,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt, transformsItself: Bool = false,
    setter: String? = nil,
    as convert: @escaping (_ target: AnyObject, Value) -> TargetValue
  ) -> ObservationToken {
    let binding = Binding(from: source, access, to: target, targetAccess, setter: setter)
    return register(
      source, binding.request(file: file, line: line), isolation: isolation
    ) { (_, _, change: ObservedChange<Value>) in
      guard !binding.isOfItself || transformsItself else { return }
      binding.set { target, present in
        ValueBox(convert(target, present?.value(as: Value.self) ?? change.newValue))
      }
    }.token
  }
}

extension ObservationController {
  /// Message of the compiler for a target that can't be set.
  @available(
    *, unavailable,
    message:
      "Bind to a property that can be set and has the type of the source, or pass a transform"
  )
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject, TargetValue>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: KeyPath<Target, TargetValue>
  ) -> ObservationToken {
    fatalError("unavailable")
  }
}

/// Keeping two properties in step, whichever of them is set.
///
/// Both are observed. Both observations end together, by the token or with either object.
extension ObservationController {
  /// Sets `bKeyPath` of `b` to the value at `aKeyPath` of `a`, now and after each change, and the
  /// other way round.
  ///
  ///     observations.bindTwoWay(settings, \.volume, with: slider, \.value)
  ///
  /// Binding two properties again, in whichever order, changes nothing and returns the first
  /// token. A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, sets nothing and returns an
  /// inactive token. A property that is bound to itself stays as it is. Both directions end
  /// together, by the token, by ``unobserve(_:_:)`` of either property, when either object is
  /// deallocated, and with the controller.
  ///
  /// - Parameters:
  ///   - a: Kept alive until it is unobserved, if the controller retains.
  ///   - aKeyPath: A property, or any nested or computed path, that reads properties and can be
  ///     set.
  ///   - b: Held weakly. Set to the value of `a` first.
  ///   - bKeyPath: As `aKeyPath`. Either is set on the thread that made the change, before the
  ///     assignment returns, with no lock held.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``, and comparing
  ///   two values for each change. The binding keeps the last value of both ends.
  @inlinable @inline(__always)
  @discardableResult
  public func bindTwoWay<A: AnyObject, B: AnyObject, Value>(
    _ a: A, _ aKeyPath: consuming ReferenceWritableKeyPath<A, Value>,
    with b: B, _ bKeyPath: consuming ReferenceWritableKeyPath<B, Value>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    bindTwoWay(
      a, .setting(consume aKeyPath), b, .setting(consume bKeyPath), nil, file, line,
      forward: nil as ((Value) -> Value)?, backward: nil as ((Value) -> Value?)?)
  }

  /// Sets `bKeyPath` of `b` to the value at `aKeyPath` of `a`, converted by `forward`, now and
  /// after each change, and the other way round by `backward`.
  ///
  ///     observations.bindTwoWay(
  ///       thermometer, \.celsius, with: display, \.fahrenheit,
  ///       forward: { $0 * 9 / 5 + 32 }, backward: { ($0 - 32) * 5 / 9 })
  ///
  /// The converters may lose information: the end that was set last keeps its value, and the other
  /// one has the converted value, which is not converted back. A value that other code sets, such
  /// as a handler that limits the value just converted, is carried over in turn. Handlers that
  /// never agree are stopped as those of one property are, and reported as
  /// ``ObservationIssue/cycle(keyPath:file:line:)``.
  ///
  /// A value is carried over whenever an end is set to another one, also where `==` says that both
  /// are equal. Of values that can't be compared, one that a computed property makes anew each time
  /// may be converted there and back.
  ///
  /// Everything else is as without converters.
  ///
  /// - Parameters:
  ///   - a: Kept alive until it is unobserved, if the controller retains.
  ///   - aKeyPath: As without converters.
  ///   - b: Held weakly. Set to the converted value of `a` first.
  ///   - bKeyPath: As without converters.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - forward: Runs on the thread that made the change, before the assignment returns, with no
  ///     lock held. Released when the binding ends.
  ///   - backward: Runs and is released as `forward` is.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As without converters.
  @inlinable @inline(__always)
  @discardableResult
  public func bindTwoWay<A: AnyObject, AValue, B: AnyObject, BValue>(
    _ a: A, _ aKeyPath: consuming ReferenceWritableKeyPath<A, AValue>,
    with b: B, _ bKeyPath: consuming ReferenceWritableKeyPath<B, BValue>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    forward: @escaping (AValue) -> BValue, backward: @escaping (BValue) -> AValue
  ) -> ObservationToken {
    bindTwoWay(
      a, .setting(consume aKeyPath), b, .setting(consume bKeyPath), isolation, file, line,
      forward: forward, backward: backward)
  }

  /// Sets `bKeyPath` of `b` to the value at `aKeyPath` of `a`, converted by `forward`, now and
  /// after each change, and the other way round by `backward`, where that gives a value.
  ///
  ///     observations.bindTwoWay(
  ///       order, \.count, with: field, \.text, forward: { "\($0)" }, backward: { Int($0) })
  ///
  /// Where `backward` returns `nil`, `a` stays as it is, and `b` keeps what it was set to, until
  /// either is set again.
  ///
  /// Everything else is as with converters that always give a value. A property of an optional type
  /// takes those: `nil` is a value of it.
  ///
  /// - Parameters:
  ///   - a: Kept alive until it is unobserved, if the controller retains.
  ///   - aKeyPath: As without converters.
  ///   - b: Held weakly. Set to the converted value of `a` first.
  ///   - bKeyPath: As without converters.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - mayBeNil: Not used: the compiler prefers the method without it for a converter that always
  ///     gives a value.
  ///   - forward: Runs on the thread that made the change, before the assignment returns, with no
  ///     lock held. Released when the binding ends.
  ///   - backward: Runs and is released as `forward` is. Returns `nil` for a value of `b` that
  ///     stands for none of `a`.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As without converters.
  @inlinable @inline(__always)
  @discardableResult
  public func bindTwoWay<A: AnyObject, AValue, B: AnyObject, BValue>(
    _ a: A, _ aKeyPath: consuming ReferenceWritableKeyPath<A, AValue>,
    with b: B, _ bKeyPath: consuming ReferenceWritableKeyPath<B, BValue>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    mayBeNil: Void = (),
    forward: @escaping (AValue) -> BValue, backward: @escaping (BValue) -> AValue?
  ) -> ObservationToken {
    bindTwoWay(
      a, .setting(consume aKeyPath), b, .setting(consume bKeyPath), isolation, file, line,
      forward: forward, backward: backward)
  }

  /// Registers the observations of both ends, the second one before the initial delivery of the
  /// first one, which sets it.
  @inlinable
  func bindTwoWay<A: AnyObject, AValue, B: AnyObject, BValue>(
    _ a: A, _ aAccess: KeyPathAccess, _ b: B, _ bAccess: KeyPathAccess,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    forward: ((AValue) -> BValue)?, backward: ((BValue) -> AValue?)?
  ) -> ObservationToken {
    let binding = TwoWayBinding(
      .init(from: a, aAccess, to: b, bAccess, by: forward.map { forward in { forward($0) } }),
      .init(from: b, bAccess, to: a, aAccess, by: backward))
    let request = binding.forward.binding.request(file: file, line: line)
    var other: ObservationToken?
    let token = register(
      a, request, isolation: isolation,
      prepare: { token in
        let request = binding.backward.binding.request(
          options: [], holdsWeakly: true, file: file, line: line)
        var partner: ObservationToken
        repeat {
          partner = self.register(b, request, isolation: isolation) {
            (_, b, _: ObservedChange<BValue>) in
            binding.carry(binding.backward, of: b)
          }
          // A property that is bound to itself has one observation, which is its own partner.
          if partner === token || partner.registration.binding === binding.backward.binding {
            return token.pair(with: partner)
          }
        } while token.replace(partner)
        other = partner
      },
      handler: { (_, a, _: ObservedChange<AValue>) in binding.carry(binding.forward, of: a) })
    return (other ?? token).firstOfPair
  }
}
