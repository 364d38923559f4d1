// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rules between the modules and inside the core, for classes below a root package. The tests
 * evaluate them twice: on roce4j, where they hold, and on fixtures that break each of them.
 */
final class ArchitectureRules {
  /**
   * A rule, and the fixture that breaks it.
   *
   * @param name what the rule says, in a few words
   * @param offender simple name of the fixture class that the rule has to find
   * @param rule the rule
   */
  record NamedRule(String name, String offender, ArchRule rule) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final Set<String> BOXES =
      Set.of(
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Short",
          "java.lang.Character",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Float",
          "java.lang.Double");

  /** Calls that read a clock, draw from an unseeded source, or depend on where an object lies. */
  private static final Set<String> IMPURE_CALLS =
      Set.of(
          "java.lang.System.nanoTime",
          "java.lang.System.currentTimeMillis",
          "java.lang.System.identityHashCode",
          "java.lang.System.getProperty",
          "java.lang.System.getenv",
          "java.lang.Math.random",
          "java.time.Instant.now",
          "java.util.UUID.randomUUID");

  private static final Set<String> OFF_HEAP_CALLS =
      Set.of(
          "java.nio.ByteBuffer.allocateDirect",
          "org.agrona.BufferUtil.allocateDirectAligned",
          "org.agrona.UnsafeApi.allocateMemory",
          "org.agrona.UnsafeApi.reallocateMemory",
          "java.lang.foreign.Arena.ofAuto",
          "java.lang.foreign.Arena.ofConfined",
          "java.lang.foreign.Arena.ofShared",
          "java.lang.foreign.Arena.global");

  private static final String SOCKET_CHANNELS =
      "java\\.nio\\.channels\\.(spi\\.)?"
          + "(Asynchronous)?(Datagram|Socket|ServerSocket|Network|Multicast|Selector|Selectable).*";

  private final String root;

  ArchitectureRules(String root) {
    this.root = root;
  }

  List<NamedRule> all() {
    return List.of(
        new NamedRule("wire stands alone", "WireNamesCongestion", wireStandsAlone()),
        new NamedRule("congestion stands alone", "CongestionNamesWire", congestionStandsAlone()),
        new NamedRule("transport never names multipath", "NamesMultipath", transportArrows()),
        new NamedRule("multipath never names the harness", "NamesHarness", multipathArrows()),
        new NamedRule("packages have no cycles", "Left", noCycles()),
        new NamedRule("the core does no I/O", "ReadsFile", coreDoesNoIo()),
        new NamedRule("the core has no threads", "StartsThread", coreHasNoThreads()),
        new NamedRule("the core has no clock", "ReadsClock", coreHasNoClock()),
        new NamedRule("the core draws no random numbers", "Draws", coreDrawsNothing()),
        new NamedRule("the core does not log", "Logs", coreDoesNotLog()),
        new NamedRule("the core has no streams", "Streams", coreHasNoStreams()),
        new NamedRule("the core has no boxed collections", "Boxes", coreBoxesNothing()),
        new NamedRule("the library starts no thread", "RunsPool", libraryStartsNoThread()),
        new NamedRule("the library takes the time as a number", "AsksTheTime", libraryClock()),
        new NamedRule("only ports and tools' exchanges touch sockets", "OpensSocket", sockets()),
        new NamedRule("only ports link native code", "LinksNative", onlyPortsLink()),
        new NamedRule("Netty stays in its package", "NamesNetty", nettyStaysInItsPackage()),
        new NamedRule("off-heap memory has one source", "Allocates", oneAllocator()),
        new NamedRule("Chronicle stays in the harness", "NamesChronicle", chronicle()),
        new NamedRule("tool libraries stay in the harness", "NamesPicocli", toolLibraries()),
        new NamedRule("simulated runs repeat", "SimulatesByChance", simulationRepeats()));
  }

  // ---- the arrows between the modules ---------------------------------------------------------

  private ArchRule wireStandsAlone() {
    return arrow("wire", "congestion", "transport", "multipath", "harness");
  }

  private ArchRule congestionStandsAlone() {
    return noClasses()
        .that(resideInAPackage(in("congestion")))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(in("wire"), in("transport"), in("multipath"), in("harness"))
                .or(resideInAPackage("org.agrona..")))
        .as("congestion: numbers in, numbers out, no other module and no library")
        .allowEmptyShould(true);
  }

  private ArchRule transportArrows() {
    return arrow("transport", "multipath", "harness");
  }

  private ArchRule multipathArrows() {
    return arrow("multipath", "harness");
  }

  private ArchRule arrow(String from, String... above) {
    String[] packages = Stream.of(above).map(this::in).toArray(String[]::new);
    return noClasses()
        .that(resideInAPackage(in(from)))
        .should()
        .dependOnClassesThat(resideInAnyPackage(packages))
        .as(from + " must not know " + String.join(", ", above))
        .allowEmptyShould(true);
  }

  private ArchRule noCycles() {
    return slices().matching(root + ".(**)").should().beFreeOfCycles().allowEmptyShould(true);
  }

  // ---- the purity of the core -----------------------------------------------------------------

  private ArchRule coreDoesNoIo() {
    return coreMustNot(
        "do I/O (captures are files: wire.capture may)",
        resideInAnyPackage("java.io..", "java.net..", "java.nio.channels..", "java.nio.file..")
            .and(not("java.io.Serializable"))
            .and(not("java.io.ObjectStreamException")),
        resideInAPackage(in("wire.capture")));
  }

  private ArchRule coreHasNoThreads() {
    return coreMustNot(
        "have threads",
        DescribedPredicate.describe(
            "threads and executors",
            c ->
                c.getName().equals("java.lang.Thread")
                    || c.getName().equals("java.lang.ThreadLocal")
                    // Not the locks and atomics in packages below: verbs have locked wrappers.
                    || c.getPackageName().equals("java.util.concurrent")),
        resideInAPackage("none"));
  }

  private ArchRule coreHasNoClock() {
    return noClasses()
        .that(core())
        .should(callOneOf(IMPURE_CALLS))
        .orShould()
        .dependOnClassesThat(
            resideInAPackage("java.time..")
                .or(resideInAPackage("org.agrona.concurrent").and(simpleNameEndsWith("Clock"))))
        .as("the core takes the time as an argument and asks nobody for it")
        .allowEmptyShould(true);
  }

  private ArchRule coreDrawsNothing() {
    return coreMustNot(
        "draw random numbers: they come in as numbers",
        DescribedPredicate.describe(
            "random sources",
            c ->
                c.getName().startsWith("java.util.random.")
                    || c.getName().equals("java.util.Random")
                    || c.getName().equals("java.util.SplittableRandom")
                    || c.getName().equals("java.util.concurrent.ThreadLocalRandom")
                    || c.getName().equals("java.security.SecureRandom")),
        resideInAPackage("none"));
  }

  private ArchRule coreDoesNotLog() {
    return coreMustNot(
        "log",
        resideInAnyPackage("org.slf4j..", "java.util.logging..")
            .or(
                DescribedPredicate.describe(
                    "System.Logger", c -> c.getName().startsWith("java.lang.System$Logger"))),
        resideInAPackage("none"));
  }

  private ArchRule coreHasNoStreams() {
    return coreMustNot(
        "use streams", resideInAPackage("java.util.stream.."), resideInAPackage("none"));
  }

  private ArchRule coreBoxesNothing() {
    return noClasses()
        .that(core())
        .should(haveCollectionsOfBoxes())
        .as("the core keeps no collections of boxed numbers")
        .allowEmptyShould(true);
  }

  private ArchRule coreMustNot(
      String what, DescribedPredicate<JavaClass> banned, DescribedPredicate<JavaClass> except) {
    return noClasses()
        .that(core().and(DescribedPredicate.not(except)))
        .should()
        .dependOnClassesThat(banned)
        .as("the core must not " + what)
        .allowEmptyShould(true);
  }

  private DescribedPredicate<JavaClass> core() {
    return resideInAnyPackage(
        in("wire"),
        in("congestion"),
        in("transport.engine"),
        in("transport.cm"),
        in("transport.verbs"),
        in("transport.queue"),
        in("transport.memory"),
        in("transport.path"),
        in("multipath"));
  }

  // ---- rooms ----------------------------------------------------------------------------------

  private ArchRule libraryStartsNoThread() {
    return noClasses()
        .that(library())
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "thread makers",
                c ->
                    c.getName().startsWith("java.util.concurrent.Executor")
                        || c.getName().equals("java.util.concurrent.ThreadFactory")
                        || c.getName().equals("java.util.concurrent.ForkJoinPool")
                        || c.getName().equals("java.util.concurrent.CompletableFuture")
                        || c.getName().equals("java.util.Timer")
                        || c.getName().equals("java.lang.Thread$Builder")))
        .orShould()
        .callConstructor(Thread.class, Runnable.class)
        .orShould()
        .callMethod(Thread.class, "startVirtualThread", Runnable.class)
        .orShould()
        .callMethod(Thread.class, "start")
        .as("the library starts no thread: the caller runs the agent")
        .allowEmptyShould(true);
  }

  private ArchRule libraryClock() {
    return noClasses()
        .that(library())
        .and(not(root + ".transport.agent"))
        .should(callOneOf(IMPURE_CLOCKS))
        .as("only the agent's clock reads the time of the machine")
        .allowEmptyShould(true);
  }

  private static final Set<String> IMPURE_CLOCKS =
      Set.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis");

  private ArchRule sockets() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(in("transport.port"), in("harness.oob"), in("harness.handshake"))
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "sockets",
                c ->
                    c.getName().matches("java\\.net\\.(.*Socket|http\\..*)")
                        || c.getName().matches(SOCKET_CHANNELS)))
        .as(
            "only transport.port touches sockets; harness.oob and harness.handshake for what peers"
                + " tell each other")
        .allowEmptyShould(true);
  }

  private ArchRule onlyPortsLink() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(in("transport.port"))
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "native linking",
                c ->
                    c.getName().startsWith("java.lang.foreign.Linker")
                        || c.getName().equals("java.lang.foreign.SymbolLookup")))
        .as("only transport.port links native code")
        .allowEmptyShould(true);
  }

  private ArchRule nettyStaysInItsPackage() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(in("transport.port.netty"))
        .should()
        .dependOnClassesThat(resideInAPackage("io.netty.."))
        .as("Netty is named in transport.port.netty only")
        .allowEmptyShould(true);
  }

  private ArchRule oneAllocator() {
    return noClasses()
        .that(library())
        .and(not(root + ".wire.memory"))
        .should(callOneOf(OFF_HEAP_CALLS))
        .as("off-heap memory of the library comes from wire.memory, which counts it by tag")
        .allowEmptyShould(true);
  }

  private ArchRule chronicle() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(in("harness"))
        .should()
        .dependOnClassesThat(resideInAPackage("net.openhft.."))
        .as("Chronicle is named in the harness only")
        .allowEmptyShould(true);
  }

  private ArchRule toolLibraries() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(in("harness"))
        .should()
        .dependOnClassesThat(resideInAnyPackage("picocli..", "com.fasterxml.jackson.."))
        .as("picocli and Jackson are named in the harness only")
        .allowEmptyShould(true);
  }

  private ArchRule simulationRepeats() {
    return noClasses()
        .that()
        .resideInAnyPackage(
            in("harness.sim"), in("harness.fabric"), in("harness.check"), in("harness.impair"))
        .should(callOneOf(IMPURE_CALLS))
        .orShould()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "unseeded sources and threads",
                c ->
                    c.getName().equals("java.util.concurrent.ThreadLocalRandom")
                        || c.getName().equals("java.security.SecureRandom")
                        || c.getName().equals("java.lang.Thread")
                        || c.getName().equals("java.util.IdentityHashMap")
                        || c.getName().startsWith("java.util.concurrent.Executor")))
        .as("a simulated run depends on its seed alone")
        .allowEmptyShould(true);
  }

  // ---- words of the rules ---------------------------------------------------------------------

  private DescribedPredicate<JavaClass> library() {
    return resideInAnyPackage(in("wire"), in("congestion"), in("transport"), in("multipath"));
  }

  private String in(String path) {
    return root + "." + path + "..";
  }

  private static DescribedPredicate<JavaClass> not(String classOrPackage) {
    return DescribedPredicate.describe(
        "not " + classOrPackage,
        c ->
            !c.getName().equals(classOrPackage)
                && !c.getPackageName().equals(classOrPackage)
                && !c.getPackageName().startsWith(classOrPackage + "."));
  }

  private static DescribedPredicate<JavaClass> simpleNameEndsWith(String end) {
    return DescribedPredicate.describe(
        "named *" + end, (JavaClass c) -> c.getSimpleName().endsWith(end));
  }

  /** Holds for a class that calls, or refers to, one of the methods, written Class.method. */
  private static ArchCondition<JavaClass> callOneOf(Set<String> calls) {
    return new ArchCondition<>("call one of " + calls) {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        Stream.concat(
                item.getAccessesFromSelf().stream(), item.getMethodReferencesFromSelf().stream())
            .filter(access -> calls.contains(target(access)))
            .forEach(
                access ->
                    events.add(SimpleConditionEvent.satisfied(access, access.getDescription())));
      }
    };
  }

  private static String target(JavaAccess<?> access) {
    return access.getTargetOwner().getName() + "." + access.getTarget().getName();
  }

  private static ArchCondition<JavaClass> haveCollectionsOfBoxes() {
    return new ArchCondition<>("have collections of boxed numbers") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        for (JavaField field : item.getFields()) {
          report(field.getType(), field.getDescription(), events);
        }
        for (JavaCodeUnit unit : item.getCodeUnits()) {
          report(unit.getReturnType(), unit.getDescription(), events);
          unit.getParameterTypes().forEach(type -> report(type, unit.getDescription(), events));
        }
      }
    };
  }

  private static void report(JavaType type, String where, ConditionEvents events) {
    if (type instanceof JavaParameterizedType generic
        && generic.toErasure().getPackageName().equals("java.util")
        && generic.getActualTypeArguments().stream().anyMatch(t -> BOXES.contains(t.getName()))) {
      events.add(SimpleConditionEvent.satisfied(type, where + " has a " + type.getName()));
    }
  }
}
